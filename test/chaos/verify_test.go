//go:build unix

package chaos_test

import (
	"fmt"
	"maps"
	"slices"
	"strings"
)

// The end of a run: compares the responses that clients received with the histories of the issues.

// past is the content of an issue's history.
type past struct {
	version int64
	// stamps holds the stamps of every version that had a document.
	stamps map[int64][]int
	// made holds the versions that each stamp made. kinds counts the changes of each kind.
	made  map[int][]int64
	kinds map[string]int
	// byOthers holds the versions that no job made, each with 1.
	byOthers map[int64]int
}

// entry is an entry of a history.
type entry struct {
	Version int64
	Kind    string
	By      *struct{ Kind string }
	Columns []struct {
		Name                    string
		Field                   *struct{ ID string }
		Before, After           *string
		BeforeValue, AfterValue *given
	}
}

// verify checks all issues. It restores those in the trash first, because the history of an issue can be read
// only while the issue exists.
func (w *world) verify() {
	found, inTrash := map[*known]*document{}, map[*known]bool{}
	for _, p := range w.projects {
		for _, id := range w.trash(p) {
			k := w.learn(p, id)
			inTrash[k] = true
			var got struct{ RestoreIssue struct{ Issue *document } }
			if f := w.ask(`mutation($i: RestoreIssueInput!) { restoreIssue(input: $i) { issue `+
				selectedDocument+` } }`, map[string]any{"i": map[string]any{"id": id}}, &got); f != nil {
				w.t.Errorf("%s is in the trash and can't be restored: %v", id, f)
			}
		}
		for _, d := range w.all(p) {
			found[w.learn(p, d.ID)] = d
		}
	}
	pasts, births := map[*known]*past{}, map[int]*known{}
	for k, d := range found {
		v, err := w.past(k, d)
		if err != nil {
			w.t.Errorf("%s: %v", k.id, err)
			continue
		}
		if birth := v.stamps[d.Version][0]; births[birth] != nil {
			w.t.Errorf("%s and %s were both created by change %d", k.id, births[birth].id, birth)
		} else {
			births[birth] = k
		}
		pasts[k] = v
	}
	w.verifyPeople(found)
	w.verifyActivity(pasts, w.verifyComments(found))
	for _, ch := range w.changes {
		for i, part := range ch.parts {
			w.verifyPart(ch, i, part, pasts, births)
		}
	}
	for _, k := range slices.Concat(slices.Collect(maps.Values(w.issues))...) {
		w.verifyRemovals(k, pasts[k], inTrash[k])
	}
	for _, r := range w.reads {
		if v := pasts[r.issue]; v != nil && !slices.Equal(v.stamps[r.version], r.stamps) {
			w.t.Errorf("%s showed version %d of %s with the stamps %v; its history says %v", r.how, r.version,
				r.issue.id, r.stamps, v.stamps[r.version])
		}
	}
	for k, v := range pasts {
		for stamp, versions := range v.made {
			if len(versions) > 1 {
				w.t.Errorf("%s: change %d was made in versions %v", k.id, stamp, versions)
			}
		}
	}
}

// verifyPart compares the responses for a part of a change with the stored state.
func (w *world) verifyPart(ch *change, i int, part *part, pasts map[*known]*past, births map[int]*known) {
	stamp := ch.stampOf(i)
	what := fmt.Sprintf("%s %d (groups %v, key %q) of %s: %v", ch.kind, stamp, ch.groups, ch.key, part.id(),
		part.summary())
	switch ch.kind {
	case "create":
		k := births[stamp]
		switch {
		case part.refused() && k != nil:
			w.t.Errorf("%s, but the issue exists: %s", what, k.id)
		case part.done() && part.issue != nil && k != part.issue && part.issue.purges.Load() == 0:
			w.t.Errorf("%s, but the issue does not exist", what)
		}
	case "update":
		v := pasts[part.issue]
		if v == nil {
			return
		}
		made := v.made[stamp]
		switch {
		case part.refused() && len(made) > 0:
			w.t.Errorf("%s, but it was made, in versions %v", what, made)
		case part.done() && len(made) != 1:
			w.t.Errorf(
				"%s, but it was made in versions %v; of %s the stamps by version are %v, of changes %v", what,
				made, part.issue.project.key, v.stamps, v.kinds)
		case ch.expected > 0 && len(made) > 0 && made[0] != ch.expected+1 && !part.issue.project.fickle:
			w.t.Errorf("%s, but it was made in versions %v, with expectedVersion %d", what, made, ch.expected)
		}
		if len(made) != 1 {
			return
		}
		for n, o := range part.sends {
			if o.failed == nil && (o.version < made[0] || len(part.sends) == 1 && n == 0 &&
				o.version != made[0]) {
				w.t.Errorf("%s, but it was made in versions %v", what, made)
			}
		}
		for g := range v.stamps[made[0]][1:] {
			if has := v.stamps[made[0]][g+1] == stamp; has != slices.Contains(ch.groups, g) {
				w.t.Errorf("%s, but version %d has the stamps %v", what, made[0], v.stamps[made[0]])
			}
		}
	}
}

// verifyRemovals compares how often an issue was removed and restored with the responses that clients
// received.
func (w *world) verifyRemovals(k *known, v *past, restored bool) {
	most, least := map[string]int{}, map[string]int{}
	for _, ch := range w.changes {
		for _, part := range ch.parts {
			if part.issue != k {
				continue
			}
			if !part.refused() {
				most[ch.kind]++
			}
			if part.done() {
				least[ch.kind]++
			}
		}
	}
	if v == nil {
		if most["purge"] == 0 {
			w.t.Errorf("%s does not exist, but no client deleted it permanently", k.id)
		}
		return
	}
	if least["purge"] > 0 {
		w.t.Errorf("%s was deleted permanently, but exists: %v", k.id, v.kinds)
	}
	if restored {
		v.kinds["RESTORED"]--
	}
	for kind, of := range map[string]string{"delete": "DELETED", "restore": "RESTORED"} {
		if n := v.kinds[of]; n < least[kind] || n > most[kind] {
			w.t.Errorf("%s was %s %d times; by the responses it was so %d to %d times",
				k.id, of, n, least[kind], most[kind])
		}
	}
	if v.kinds["DELETED"]-v.kinds["RESTORED"] != map[bool]int{true: 1}[restored] {
		w.t.Errorf("%s: in the trash: %t, after %v", k.id, restored, v.kinds)
	}
}

// past reads the history of an issue from its creation to the current document.
func (w *world) past(k *known, d *document) (*past, error) {
	entries, err := w.history(k)
	if err != nil {
		return nil, err
	}
	v := &past{version: d.Version, stamps: map[int64][]int{}, made: map[int][]int64{},
		kinds: map[string]int{}, byOthers: map[int64]int{}}
	state, err := w.born(k, d)
	if err != nil {
		return nil, err
	}
	for n, e := range entries {
		if e.Version != int64(n+1) || (e.Kind == "CREATED") != (n == 0) {
			return nil, fmt.Errorf("entry %d of the history is of version %d, %s", n, e.Version, e.Kind)
		}
		v.kinds[e.Kind]++
		if e.By == nil || e.By.Kind != "JOB" {
			v.byOthers[e.Version] = 1
		}
		if n == 0 { // the entry of the creation has all values that the issue was created with
			created := shown{}
			if err := e.apply(k.project, created); err != nil {
				return nil, err
			}
			if !maps.Equal(created, state) {
				return nil, fmt.Errorf("created with %v, want %v", created, state)
			}
		} else if err := e.apply(k.project, state); err != nil {
			return nil, err
		}
		if e.Kind == "DELETED" {
			continue
		}
		stamps, err := k.project.stamps(state)
		if err != nil {
			return nil, fmt.Errorf("version %d is incomplete: %w", e.Version, err)
		}
		v.stamps[e.Version] = stamps
		made := map[int]bool{}
		// the version before that of a restored issue may have no document
		for _, before := range []int64{e.Version - 1, e.Version - 2} {
			if last := v.stamps[before]; last != nil {
				for g, stamp := range stamps {
					if stamp != last[g] {
						made[stamp] = true
					}
				}
				break
			}
		}
		if len(made) > 1 || len(made) == 0 && e.Kind == "UPDATED" && !k.project.fickle {
			return nil, fmt.Errorf("version %d, %s, is of the changes %v", e.Version, e.Kind, made)
		}
		for stamp := range made {
			v.made[stamp] = append(v.made[stamp], e.Version)
		}
	}
	if int64(len(entries)) != d.Version {
		return nil, fmt.Errorf("it has version %d, and %d entries in its history", d.Version, len(entries))
	}
	if is := d.shown(k.project); !maps.Equal(is, state) {
		return nil, fmt.Errorf("the document differs from the history:\n%v\n%v", is, state)
	}
	return v, nil
}

// born returns the values that the issue was created with.
func (w *world) born(k *known, d *document) (shown, error) {
	p := k.project
	var birth int
	if _, err := fmt.Sscan(d.shown(p)[p.birth.id], &birth); err != nil {
		return nil, fmt.Errorf("it has no birth: %w", err)
	}
	state := shown{}
	for g := range p.groups {
		maps.Copy(state, p.want(g, birth))
	}
	_, state[p.birth.id] = p.birth.value(birth)
	return state, nil
}

// apply applies a change to the shown values, which must match the old values in the entry.
func (e *entry) apply(p *project, state shown) error {
	for _, c := range e.Columns {
		id, was, is := c.Name, c.Before, c.After
		if c.Field != nil {
			if id = c.Field.ID; p.columns[id] == nil {
				continue
			}
			was, is = c.BeforeValue.text(), c.AfterValue.text()
		} else if id == "assignees" {
			was, is = sortedNames(was), sortedNames(is)
		} else if id != "name" && id != "state" && id != "description" {
			continue // a deleted field
		}
		before, had := state[id]
		if had != (was != nil) || had && before != *was {
			return fmt.Errorf("version %d has %s change from %v, but before it was %q", e.Version, id, was,
				before)
		}
		if delete(state, id); is != nil {
			state[id] = *is
		}
	}
	return nil
}

// sortedNames returns names in a history as joined does, or nil for none.
func sortedNames(names *string) *string {
	if names == nil {
		return nil
	}
	return new(joined(strings.Split(*names, ", ")))
}

// verifyPeople compares the lists of the issues that are assigned to people with the documents.
func (w *world) verifyPeople(found map[*known]*document) {
	for _, person := range w.people {
		want := map[string]bool{}
		for _, d := range found {
			if slices.ContainsFunc(d.Assignees, func(a struct{ Name string }) bool {
				return a.Name == person.name
			}) {
				want[d.ID] = true
			}
		}
		for _, order := range []string{"CREATED_AT", "UPDATED_AT", "NUM"} {
			got := map[string]bool{}
			for _, id := range w.assigned(person, order) {
				if got[id] {
					w.t.Errorf("%s is twice in the list of %s by %s", id, person.name, order)
				}
				got[id] = true
			}
			if !maps.Equal(got, want) {
				w.t.Errorf("the list of %s by %s has %d issues, want %d", person.name, order, len(got),
					len(want))
			}
		}
	}
}

// assigned returns the ids of the issues that are assigned to a user or a team.
func (w *world) assigned(to person, order string) (out []string) {
	variables := map[string]any{"id": to.id, "after": nil}
	list := `issues(first: 100, after: $after, status: ALL, roles: [ASSIGNEE], orderBy: {column: ` + order +
		`}) { nodes { id } pageInfo { hasNextPage endCursor } }`
	for {
		var got struct {
			Node struct {
				Issues struct {
					Nodes    []struct{ ID string }
					PageInfo pageInfo
				}
			}
		}
		if f := w.ask(`query($id: ID!, $after: String) { node(id: $id) { ... on User { `+list+
			` } ... on Team { `+list+` } } }`, variables, &got); f != nil {
			w.t.Fatal(f)
		}
		for _, i := range got.Node.Issues.Nodes {
			out = append(out, i.ID)
		}
		if !got.Node.Issues.PageInfo.HasNextPage {
			return out
		}
		variables["after"] = got.Node.Issues.PageInfo.EndCursor
	}
}

// text returns how a value is shown, or nil if there is none.
func (g *given) text() *string {
	if g == nil {
		return nil
	}
	text := g.String()
	return &text
}

// pageInfo describes the end of a page.
type pageInfo struct {
	HasNextPage bool
	EndCursor   *string
}

// history returns the entries of an issue's history, oldest first. It reads fewer entries at a time when the
// response would have too many fields, because how many columns an entry has is up to the clients.
func (w *world) history(k *known) (out []entry, err error) {
	n, variables := 100, map[string]any{"id": k.id, "after": nil}
	for {
		variables["n"] = n
		var got struct {
			Issue struct {
				History struct {
					Nodes    []entry
					PageInfo pageInfo
				}
			}
		}
		f := w.ask(
			`query($id: ID!, $n: Int!, $after: String) { issue(id: $id) { history(first: $n, after: $after) { nodes { version kind by { kind } columns { name field { id } before after `+
				`beforeValue `+selectedValue+` afterValue `+selectedValue+
				` } } pageInfo { hasNextPage endCursor } } } }`, variables, &got)
		if f != nil && f.Code == badInput && n > 1 {
			n /= 2
			continue
		}
		if f != nil {
			return nil, f
		}
		out = append(out, got.Issue.History.Nodes...)
		if !got.Issue.History.PageInfo.HasNextPage {
			slices.Reverse(out)
			return out, nil
		}
		variables["after"] = got.Issue.History.PageInfo.EndCursor
	}
}

// trash returns the IDs of all issues in a project's trash.
func (w *world) trash(p *project) (out []string) {
	variables := map[string]any{"p": p.id, "after": nil}
	for {
		var got struct {
			Project struct {
				DeletedIssues struct {
					Nodes    []struct{ IssueID string }
					PageInfo pageInfo
				}
			}
		}
		if f := w.ask(
			`query($p: ID!, $after: String) { project(id: $p) { deletedIssues(first: 100, after: $after) { nodes { issueId } pageInfo { hasNextPage endCursor } } } }`,
			variables, &got); f != nil {
			w.t.Fatal(f)
		}
		for _, i := range got.Project.DeletedIssues.Nodes {
			out = append(out, i.IssueID)
		}
		if !got.Project.DeletedIssues.PageInfo.HasNextPage {
			return out
		}
		variables["after"] = got.Project.DeletedIssues.PageInfo.EndCursor
	}
}

// all returns the documents of a project, ordered by number.
func (w *world) all(p *project) (out []*document) {
	variables := map[string]any{"p": p.id, "after": nil}
	for {
		var got struct {
			Project struct {
				Issues struct {
					Nodes    []*document
					PageInfo pageInfo
				}
			}
		}
		if f := w.ask(
			`query($p: ID!, $after: String) { project(id: $p) { issues(first: 50, after: $after) { nodes `+
				selectedDocument+` pageInfo { hasNextPage endCursor } } } }`, variables, &got); f != nil {
			w.t.Fatal(f)
		}
		out = append(out, got.Project.Issues.Nodes...)
		if !got.Project.Issues.PageInfo.HasNextPage {
			return out
		}
		variables["after"] = got.Project.Issues.PageInfo.EndCursor
	}
}
