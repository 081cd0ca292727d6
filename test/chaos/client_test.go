//go:build unix

package chaos_test

import (
	"maps"
	"math/rand/v2"
)

// client changes and reads issues at random, one operation after the other.
type client struct {
	*world
	n   int
	rng *rand.Rand
	// seen holds the newest version of each issue that the client received.
	seen map[*known]int64
	// gone holds the issues whose deletion was confirmed to the client.
	gone map[*known]bool
}

// maxSends is how often a client sends a change whose outcome it does not learn.
const maxSends = 8

// step performs one random operation.
func (c *client) step() {
	p := c.projects[[]int{0, 0, 0, 0, 0, 0, 1, 1, 2, 2}[c.rng.IntN(10)]]
	if c.rng.IntN(8) == 0 {
		c.read(p)
	}
	if c.rng.IntN(8) == 0 {
		c.comment(p)
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

// create creates issues: one with createIssue, several with createIssues.
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
		in := p.input(ch.stamp+i, c.stateIDs[p], true, ch.groups...)
		_, birth := p.birth.value(ch.stamp + i)
		in["values"] = append(in["values"].([]any),
			map[string]any{"fieldId": p.birth.id, "value": map[string]any{"integer": birth}})
		issues = append(issues, in)
		ch.parts = append(ch.parts, &part{})
	}
	in := map[string]any{"projectId": p.id}
	if n == 1 {
		in["issue"] = issues[0]
		c.send(p, ch, in, `mutation($i: CreateIssueInput!) { m: createIssue(input: $i) { issue `+
			selectedDocument+` } }`)
		return
	}
	in["issues"] = issues
	c.send(p, ch, in, `mutation($i: CreateIssuesInput!) { m: createIssues(input: $i) { results { issue `+
		selectedDocument+` errors { code message conflict { currentVersion } } } } }`)
}

// update changes some or all groups of one or more issues.
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
	in := p.input(ch.stamp, c.stateIDs[p], false, ch.groups...)
	if p.fickle && c.rng.IntN(2) == 0 {
		c.addFickleValues(p, in)
	}
	for _, k := range issues {
		ch.parts = append(ch.parts, &part{issue: k})
	}
	if n > 1 {
		c.send(p, ch, map[string]any{"issues": each(issues, in)},
			`mutation($i: UpdateIssuesInput!) { m: updateIssues(input: $i) { results { issue `+
				selectedDocument+` errors { code message conflict { currentVersion } } } } }`)
		return
	}
	in["id"] = issues[0].id
	c.expect(ch, issues[0], in)
	c.send(p, ch, map[string]any{"issue": in}, `mutation($i: UpdateIssueInput!) { m: updateIssue(input: $i) { issue `+
		selectedDocument+` } }`)
}

// each returns the input that makes the same change to each of some issues.
func each(issues []*known, change map[string]any) (out []any) {
	for _, k := range issues {
		one := map[string]any{"id": k.id}
		maps.Copy(one, change)
		out = append(out, one)
	}
	return out
}

// expect draws an expected version, often the latest version that any client received.
func (c *client) expect(ch *change, k *known, in map[string]any) {
	if v := k.version.Load(); v > 0 && c.rng.IntN(3) == 0 {
		ch.expected = max(1, v-int64(c.rng.IntN(4)/3))
		in["expectedVersion"] = ch.expected
	}
}

// remove deletes, purges or restores issues.
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
	one, in := map[string]any{"id": issues[0].id}, map[string]any{}
	switch {
	case kind == "restore":
		c.send(p, ch, one, `mutation($i: RestoreIssueInput!) { m: restoreIssue(input: $i) { issue `+
			selectedDocument+` } }`)
		return
	case kind == "purge":
		in["permanently"] = true
	}
	if n == 1 {
		c.expect(ch, issues[0], one)
		in["issue"] = one
		c.send(p, ch, in, `mutation($i: DeleteIssueInput!) { m: deleteIssue(input: $i) { deletedIssueId } }`)
		return
	}
	in["issues"] = each(issues, nil)
	c.send(p, ch, in,
		`mutation($i: DeleteIssuesInput!) { m: deleteIssues(input: $i) { results { errors { code message conflict { currentVersion } } } } }`)
}

// read reads an issue. The tables of the engine do not lag, so the client sees its own writes. On DynamoDB
// itself issue(id) may be late.
func (c *client) read(p *project) {
	all := c.some(c.rng, p, 1)
	if len(all) == 0 {
		return
	}
	k, before := all[0], c.seen[all[0]]
	var got struct{ Issue *document }
	failed := c.ask(`query($id: ID!) { issue(id: $id) `+selectedDocument+` }`, map[string]any{"id": k.id},
		&got)
	switch {
	case failed == nil:
		if got.Issue.Version < before {
			c.t.Errorf("client %d reads version %d of %s after version %d", c.n, got.Issue.Version, k.id,
				before)
		}
		if c.gone[k] && k.restores.Load() == 0 {
			c.t.Errorf("client %d reads %s after deleting it", c.n, k.id)
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
	order := map[string]any{"column": map[string]any{"builtin": []string{"NUM", "NAME", "STATE",
		"UPDATED_AT"}[c.rng.IntN(4)]}}
	if g := c.rng.IntN(len(p.groups)); g > 0 && c.rng.IntN(2) == 0 {
		order["column"] = map[string]any{"fieldId": p.groups[g][0].id}
	}
	var got struct {
		Project struct{ Issues struct{ Nodes []*document } }
	}
	failed := c.ask(
		`query($p: ID!, $o: IssueOrder!) { project(id: $p) { issues(last: 10, orderBy: [$o]) { nodes `+
			selectedDocument+` } } }`, map[string]any{"p": p.id, "o": order}, &got)
	switch {
	case failed == nil:
		seen := map[string]bool{}
		for _, d := range got.Project.Issues.Nodes {
			if seen[d.ID] {
				c.t.Errorf("client %d: %s occurs twice in a page ordered by %v", c.n, d.ID, order)
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
