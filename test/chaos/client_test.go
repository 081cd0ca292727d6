//go:build unix

package chaos_test

import (
	"fmt"
	"math/rand/v2"
	"sync"

	"issuegrid/tracker"
)

// client changes and reads issues at random, one thing after the other.
type client struct {
	*world
	n   int
	rng *rand.Rand
	// seen is the newest version of each issue that the client was told of.
	seen map[*known]int64
	// gone are issues that the client was told are deleted.
	gone map[*known]bool
}

// maxSends is how often a client sends a change without having learned what became of it.
const maxSends = 8

// step does one thing.
func (c *client) step() {
	p := c.projects[[]int{0, 0, 0, 0, 0, 0, 1, 1, 2, 2}[c.rng.IntN(10)]]
	if c.rng.IntN(8) == 0 {
		c.read(p)
	}
	switch n := c.rng.IntN(100); {
	case n < 10:
		c.create(p, 1)
	case n < 14:
		c.create(p, 1+c.rng.IntN(5))
	case n < 66:
		c.update(p, 1)
	case n < 75:
		c.update(p, 1+c.rng.IntN(6))
	case n < 83:
		c.remove(p, "delete", 1)
	case n < 86:
		c.remove(p, "delete", 1+c.rng.IntN(4))
	case n < 94:
		c.remove(p, "restore", 1)
	case n < 97:
		c.remove(p, "purge", 1)
	case n < 98:
		c.remove(p, "purge", 1+c.rng.IntN(4))
	case n == 98:
		c.changeDefinition()
	default:
		c.grid(p)
	}
}

// create makes issues, one with createIssue, and more with createIssues.
func (c *client) create(p *project, n int) {
	if p == c.projects[1] && len(c.some(c.rng, p, 6)) > 3 {
		n = 1
	}
	ch := &change{kind: "create", stamp: c.nextStamp(n)}
	var issues []any
	for g := range p.groups {
		ch.groups = append(ch.groups, g)
	}
	for i := range n {
		in := p.input(ch.stamp+i, c.stateIDs[p], ch.groups...)
		_, birth := p.birth.value(ch.stamp + i)
		in["values"] = append(in["values"].([]any), map[string]any{"field": p.birth.id, "value": map[string]any{"integer": birth}})
		issues = append(issues, in)
		ch.parts = append(ch.parts, &part{})
	}
	in := map[string]any{"project": p.id}
	if n == 1 {
		in["issue"] = issues[0]
		c.send(p, ch, in, `mutation($i: CreateIssueInput!) { m: createIssue(input: $i) { issue `+selectedDocument+` } }`)
		return
	}
	in["issues"] = issues
	c.send(p, ch, in, `mutation($i: CreateIssuesInput!) { m: createIssues(input: $i) { results { issue `+selectedDocument+` error { code message currentVersion } } } }`)
}

// update changes some groups, or all, of one or more issues.
func (c *client) update(p *project, n int) {
	issues := c.some(c.rng, p, n)
	if len(issues) == 0 {
		return
	}
	ch := &change{kind: "update", stamp: c.nextStamp(1)}
	for g := range p.groups {
		if c.rng.IntN(2) == 0 {
			ch.groups = append(ch.groups, g)
		}
	}
	if len(ch.groups) == 0 {
		ch.groups = append(ch.groups, c.rng.IntN(len(p.groups)))
	}
	in := p.input(ch.stamp, c.stateIDs[p], ch.groups...)
	if p.fickle && c.rng.IntN(2) == 0 {
		c.addFickleValues(p, in)
	}
	for _, k := range issues {
		ch.parts = append(ch.parts, &part{issue: k})
	}
	if n > 1 {
		c.send(p, ch, map[string]any{"ids": ids(issues), "change": in},
			`mutation($i: UpdateIssuesInput!) { m: updateIssues(input: $i) { results { issue `+selectedDocument+` error { code message currentVersion } } } }`)
		return
	}
	in["id"] = issues[0].id
	c.expect(ch, issues[0], in)
	c.send(p, ch, in, `mutation($i: UpdateIssueInput!) { m: updateIssue(input: $i) { issue `+selectedDocument+` } }`)
}

func ids(issues []*known) (out []string) {
	for _, k := range issues {
		out = append(out, k.id)
	}
	return out
}

// expect draws an expected version, often that which somebody has seen last.
func (c *client) expect(ch *change, k *known, in map[string]any) {
	if v := k.version.Load(); v > 0 && c.rng.IntN(3) == 0 {
		ch.expected = max(1, v-int64(c.rng.IntN(4)/3))
		in["expectedVersion"] = ch.expected
	}
}

// remove deletes, purges or restores.
func (c *client) remove(p *project, kind string, n int) {
	issues := c.some(c.rng, p, n)
	if len(issues) == 0 {
		return
	}
	ch := &change{kind: kind}
	for _, k := range issues {
		ch.parts = append(ch.parts, &part{issue: k})
		switch kind {
		case "delete":
			k.deletes.Add(1)
		case "purge":
			k.purges.Add(1)
		case "restore":
			k.restores.Add(1)
		}
	}
	in := map[string]any{"id": issues[0].id}
	switch {
	case kind == "restore":
		c.send(p, ch, in, `mutation($i: RestoreIssueInput!) { m: restoreIssue(input: $i) { issue `+selectedDocument+` } }`)
		return
	case kind == "purge":
		in["permanently"] = true
	}
	if n == 1 {
		c.expect(ch, issues[0], in)
		c.send(p, ch, in, `mutation($i: DeleteIssueInput!) { m: deleteIssue(input: $i) { deletedIssueId } }`)
		return
	}
	delete(in, "id")
	in["ids"] = ids(issues)
	c.send(p, ch, in, `mutation($i: DeleteIssuesInput!) { m: deleteIssues(input: $i) { results { error { code message currentVersion } } } }`)
}

// result is what became of one part of a change.
type result struct {
	Issue *document
	Error *failure
}

// send sends a change, under a key more than once: as long as it is not known what became of it, and sometimes then, too, or twice at a time.
func (c *client) send(p *project, ch *change, in map[string]any, query string) {
	times, together := 1, 1
	if c.rng.IntN(2) == 0 {
		ch.key = fmt.Sprintf("%d of client %d", c.rng.Int64(), c.n)
		in["idempotencyKey"] = ch.key
		if times = maxSends; c.rng.IntN(10) == 0 {
			together = 2
		}
	}
	again := c.rng.IntN(5) == 0
	c.sent(ch)
	for n := 0; n < times; n += together {
		var group sync.WaitGroup
		answers := make([]func(), together)
		for i := range answers {
			group.Go(func() { answers[i] = c.sendOnce(p, ch, in, query, together > 1) })
		}
		group.Wait()
		for _, judge := range answers {
			judge()
		}
		known := true
		for _, part := range ch.parts {
			known = known && (part.done() || part.refused())
		}
		if known && !(again && n == 0) {
			break
		}
		together = 1
	}
	c.judge(p, ch)
}

// sendOnce sends a change, and returns what is to be done with the answer.
func (c *client) sendOnce(p *project, ch *change, in map[string]any, query string, together bool) func() {
	var answer struct {
		M struct {
			result
			Results []result
		}
	}
	failed := c.ask(query, map[string]any{"i": in}, &answer)
	results := answer.M.Results
	if results == nil {
		results = []result{answer.M.result}
	}
	return func() {
		for i, part := range ch.parts {
			r := result{Error: failed}
			if failed == nil {
				if len(results) != len(ch.parts) {
					c.t.Errorf("%s of %d issues: %d results", ch.kind, len(ch.parts), len(results))
					return
				}
				r = results[i]
			}
			o := outcome{failed: r.Error, together: together}
			if r.Issue != nil {
				o.version = r.Issue.Version
				k := c.learn(p, r.Issue.ID)
				if part.issue != nil && part.issue != k {
					c.t.Errorf("client %d: %s %d with the key %q is about %s and about %s", c.n, ch.kind, ch.stamp, ch.key, part.issue.id, k.id)
				}
				part.issue = k
				stamps := c.saw(k, r.Issue, "the answer to "+ch.kind)
				for _, g := range ch.groups {
					if stamps != nil && ch.key == "" && stamps[g+1] != ch.stampOf(i) {
						c.t.Errorf("client %d: the answer to %s %d has the stamps %v", c.n, ch.kind, ch.stamp, stamps)
					}
				}
			}
			part.sends = append(part.sends, o)
		}
	}
}

// stampOf is the stamp of a part.
func (ch *change) stampOf(i int) int {
	if ch.kind == "create" {
		return ch.stamp + i
	}
	return ch.stamp
}

// judge looks at what a client was told about a change.
func (c *client) judge(p *project, ch *change) {
	for i, part := range ch.parts {
		what := fmt.Sprintf("client %d, %s %d (groups %v, key %q, expected version %d) of %s", c.n, ch.kind, ch.stamp+i, ch.groups, ch.key, ch.expected, part.id())
		done := false
		for n, o := range part.sends {
			f := o.failed
			switch {
			case f == nil:
				done = true
				continue
			case f.unknown():
			case f.Code == conflict:
				if done && !o.together || f.CurrentVersion > 0 && part.done() {
					c.t.Errorf("%s was made, and then refused: %v", what, part.told())
				}
			case f.Code == notFound:
				removing := ch.kind == "delete" || ch.kind == "purge"
				issue := part.issue
				if ch.kind == "create" && issue == nil { // who has made it was not told; others may have seen it in a grid, and removed it
					issue = c.bornBy(ch.stampOf(i))
				}
				if removed := issue.removals(); ch.kind != "restore" && (removed == 0 || removing && removed == 1 && n == 0 && len(part.sends) == 1) || removing && done {
					c.t.Errorf("%s: nobody else has deleted it, or it was done: %v", what, part.told())
				}
			case f.Code == badInput && p.fickle && ch.kind == "update":
			default:
				c.t.Errorf("%s, sent %d times: %v", what, n+1, part.told())
			}
		}
		end := "unknown"
		switch {
		case part.done():
			end = "done"
		case part.refused():
			end = part.sends[len(part.sends)-1].failed.Code
		}
		c.note(ch.kind + " " + end)
		if k := part.issue; k != nil && end == "done" {
			switch ch.kind {
			case "delete", "purge":
				if c.gone[k] = true; k.restores.Load() > 0 {
					delete(c.gone, k)
				}
			}
		}
	}
}

// removals is how often somebody has asked to remove an issue.
func (k *known) removals() int64 {
	if k == nil {
		return 0
	}
	return k.deletes.Load() + k.purges.Load()
}

func (p *part) id() string {
	if p.issue == nil {
		return "a new issue"
	}
	return p.issue.id
}

// told are the outcomes for people.
func (p *part) told() (out []string) {
	for _, o := range p.sends {
		if o.failed != nil {
			out = append(out, o.failed.Error())
		} else {
			out = append(out, fmt.Sprint("done, version ", o.version))
		}
	}
	return out
}

// saw is told of an issue that the client was shown.
func (c *client) saw(k *known, d *document, how string) []int {
	shown := d.shown(k.project)
	c.bears(k, shown[k.project.birth.id])
	stamps, err := k.project.stamps(shown)
	if err != nil && k.purges.Load() > 0 {
		c.note("shown without its texts while it is removed for good")
		return nil
	}
	if err != nil {
		c.t.Errorf("client %d, %s of %s, version %d: %v", c.n, how, k.id, d.Version, err)
		return nil
	}
	k.version.Store(d.Version)
	c.seen[k] = max(c.seen[k], d.Version)
	c.mu.Lock()
	defer c.mu.Unlock()
	c.reads = append(c.reads, reading{k, d.Version, stamps, how})
	return stamps
}

// read reads an issue. The engine's tables do not lag, so that the client sees what it has written; on DynamoDB itself issue(id) may be late.
func (c *client) read(p *project) {
	all := c.some(c.rng, p, 1)
	if len(all) == 0 {
		return
	}
	k, before := all[0], c.seen[all[0]]
	var got struct{ Issue *document }
	failed := c.ask(`query($id: ID!) { issue(id: $id) `+selectedDocument+` }`, map[string]any{"id": k.id}, &got)
	switch {
	case failed == nil:
		if got.Issue.Version < before {
			c.t.Errorf("client %d reads version %d of %s after version %d", c.n, got.Issue.Version, k.id, before)
		}
		if c.gone[k] && k.restores.Load() == 0 {
			c.t.Errorf("client %d has deleted %s, and reads it", c.n, k.id)
		}
		c.saw(k, got.Issue, "issue(id)")
		c.note("read done")
	case failed.unknown():
		c.note("read unknown")
	case failed.Code == notFound && k.removals() > 0:
		c.note("read " + notFound)
	default:
		c.t.Errorf("client %d reads %s: %v", c.n, k.id, failed)
	}
}

// grid reads the last rows of a grid.
func (c *client) grid(p *project) {
	order := map[string]any{"column": map[string]any{"builtin": []string{"NUM", "NAME", "STATE", "UPDATED_AT"}[c.rng.IntN(4)]}}
	if g := c.rng.IntN(len(p.groups)); g > 0 && c.rng.IntN(2) == 0 {
		order["column"] = map[string]any{"field": p.groups[g][0].id}
	}
	var got struct {
		Project struct{ Issues struct{ Nodes []*document } }
	}
	failed := c.ask(`query($p: ID!, $o: IssueOrder!) { project(id: $p) { issues(last: 10, orderBy: [$o]) { nodes `+selectedDocument+` } } }`, map[string]any{"p": p.id, "o": order}, &got)
	switch {
	case failed == nil:
		seen := map[string]bool{}
		for _, d := range got.Project.Issues.Nodes {
			if seen[d.ID] {
				c.t.Errorf("client %d: %s is twice in a page ordered by %v", c.n, d.ID, order)
			}
			seen[d.ID] = true
			c.saw(c.learn(p, d.ID), d, "a grid")
		}
		c.note("grid done")
	case failed.unknown():
		c.note("grid unknown")
	default:
		c.t.Errorf("client %d: a grid ordered by %v: %v", c.n, order, failed)
	}
}

// addFickleValues adds values of fields whose definitions change.
func (c *client) addFickleValues(p *project, in map[string]any) {
	values, _ := in["values"].([]any)
	for _, f := range c.fickleFields(p) {
		var v map[string]any
		switch {
		case f.Type == tracker.TypeText:
			v = map[string]any{"text": fmt.Sprint(c.rng.IntN(5))}
			if c.rng.IntN(3) == 0 {
				v["text"] = fmt.Sprintf("%0300d", c.rng.IntN(5))
			}
		case f.Type == tracker.TypeInteger:
			v = map[string]any{"integer": fmt.Sprint(c.rng.IntN(5))}
		case f.Type.HasOptions() && len(f.Options) > 0:
			v = map[string]any{"option": f.Options[c.rng.IntN(len(f.Options))].ID}
		}
		values = append(values, map[string]any{"field": f.ID, "value": v})
	}
	in["values"] = values
}

func (c *client) fickleFields(p *project) (out []field) {
	var got struct{ Project struct{ Fields []field } }
	if failed := c.ask(`query($p: ID!) { project(id: $p) { fields { id name type options { id name } } } }`, map[string]any{"p": p.id}, &got); failed != nil {
		if !failed.unknown() {
			c.t.Errorf("client %d reads fields: %v", c.n, failed)
		}
		return nil
	}
	for _, f := range got.Project.Fields {
		if len(f.Name) > len(ficklePrefix) && f.Name[:len(ficklePrefix)] == ficklePrefix {
			out = append(out, f)
		}
	}
	return out
}

// changeDefinition does something to a field of the fickle project.
func (c *client) changeDefinition() {
	p := c.projects[2]
	all := c.fickleFields(p)
	if len(all) < 2 {
		kind := []tracker.FieldType{tracker.TypeSelect, tracker.TypeText}[c.rng.IntN(2)]
		c.defined("createCustomField", c.addFickle(p, kind, c.rng.IntN(1_000_000)))
		return
	}
	f := all[c.rng.IntN(len(all))]
	var ignored any
	do := func(what, input string, in map[string]any, selection string) {
		in["id"] = f.ID
		c.defined(what, c.ask(`mutation($i: `+input+`!) { `+what+`(input: $i) `+selection+` }`, map[string]any{"i": in}, &ignored))
	}
	switch n := c.rng.IntN(6); {
	case n == 0:
		do("deleteCustomField", "DeleteCustomFieldInput", map[string]any{}, `{ id }`)
	case f.Type == tracker.TypeSelect && n < 4 && len(f.Options) > 2:
		if n == 1 {
			do("mergeCustomFieldOptions", "MergeCustomFieldOptionsInput", map[string]any{"from": []string{f.Options[0].ID}, "into": f.Options[1].ID}, `{ field { id } }`)
			return
		}
		var options []any
		for _, i := range c.rng.Perm(len(f.Options)) {
			options = append(options, map[string]any{"id": f.Options[i].ID, "name": f.Options[i].Name})
		}
		do("updateCustomField", "UpdateCustomFieldInput", map[string]any{"options": options}, `{ field { id } }`)
	case f.Type == tracker.TypeInteger || f.Type == tracker.TypeSelect:
		do("changeCustomFieldType", "ChangeCustomFieldTypeInput", map[string]any{"type": tracker.TypeText, "unconvertible": "REMOVE"}, `{ job { id } }`)
	default:
		do("changeCustomFieldType", "ChangeCustomFieldTypeInput", map[string]any{"type": tracker.TypeInteger, "unconvertible": "REMOVE"}, `{ job { id } }`)
	}
}

// defined is told of a change of a definition. Nothing is expected of one but that it is none of our errors.
func (c *client) defined(what string, failed *failure) {
	switch {
	case failed == nil:
		c.note(what + " done")
	case failed.unknown() || failed.Code == conflict || failed.Code == notFound || failed.Code == badInput:
		c.note(what + " " + failed.Code)
	default:
		c.t.Errorf("client %d, %s: %v", c.n, what, failed)
	}
}
