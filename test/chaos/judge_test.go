//go:build unix

package chaos_test

import (
	"fmt"
	"sync"
)

// result is the outcome of one part of a change.
type result struct {
	Issue  *document
	Errors []*failure
}

// send sends a change. With an idempotency key it sends the change again while the outcome is unknown,
// sometimes also after the outcome is known, and sometimes twice at the same time.
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

// sendOnce sends a change and returns a function that records the response.
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
			r := result{}
			if failed == nil {
				if len(results) != len(ch.parts) {
					c.t.Errorf("%s of %d issues: %d results", ch.kind, len(ch.parts), len(results))
					return
				}
				r = results[i]
			}
			o := outcome{failed: failed, together: together}
			if len(r.Errors) > 0 {
				o.failed = r.Errors[0]
			}
			if r.Issue != nil {
				o.version = r.Issue.Version
				k := c.learn(p, r.Issue.ID)
				if part.issue != nil && part.issue != k {
					c.t.Errorf("client %d: %s %d with the key %q is about %s and about %s", c.n, ch.kind,
						ch.stamp, ch.key, part.issue.id, k.id)
				}
				part.issue = k
				stamps := c.saw(k, r.Issue, "the answer to "+ch.kind)
				for _, g := range ch.groups {
					if stamps != nil && ch.key == "" && stamps[g+1] != ch.stampOf(i) {
						c.t.Errorf("client %d: the response to %s %d has the stamps %v", c.n, ch.kind,
							ch.stamp,
							stamps)
					}
				}
			}
			part.sends = append(part.sends, o)
		}
	}
}

// stampOf returns the stamp of a part.
func (ch *change) stampOf(i int) int {
	if ch.kind == "create" {
		return ch.stamp + i
	}
	return ch.stamp
}

// judge checks the responses that a client received for a change.
func (c *client) judge(p *project, ch *change) {
	for i, part := range ch.parts {
		what := fmt.Sprintf("client %d, %s %d (groups %v, key %q, expected version %d) of %s", c.n, ch.kind,
			ch.stamp+i, ch.groups, ch.key, ch.expected, part.id())
		done := false
		for n, o := range part.sends {
			f := o.failed
			switch {
			case f == nil:
				done = true
				continue
			case f.unknown():
			case f.Code == conflict:
				if done && !o.together || f.Conflict.CurrentVersion > 0 && part.done() {
					c.t.Errorf("%s was made and later refused: %v", what, part.summary())
				}
			case f.Code == notFound:
				removing := ch.kind == "delete" || ch.kind == "purge"
				issue := part.issue
				// the client got no response; others may have seen the issue in a grid and removed it
				if ch.kind == "create" && issue == nil {
					issue = c.bornBy(ch.stampOf(i))
				}
				if removed := issue.removals(); ch.kind != "restore" &&
					(removed == 0 || removing && removed == 1 && n == 0 && len(part.sends) == 1) ||
					removing && done {
					c.t.Errorf("%s: no other client deleted it, or it was done: %v", what, part.summary())
				}
			case f.Code == badInput && p.fickle && ch.kind == "update":
			default:
				c.t.Errorf("%s, sent %d times: %v", what, n+1, part.summary())
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

// removals returns how often clients have requested the removal of an issue.
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

// summary returns the outcomes in a readable form.
func (p *part) summary() (out []string) {
	for _, o := range p.sends {
		if o.failed != nil {
			out = append(out, o.failed.Error())
		} else {
			out = append(out, fmt.Sprint("done, version ", o.version))
		}
	}
	return out
}

// saw records the state of an issue that the client received.
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
