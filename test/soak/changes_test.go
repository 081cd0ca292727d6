//go:build unix

package soak

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"issuegrid/tracker"
)

// change draws new values for an issue and returns them in the form of a mutation input.
func (s *soaker) change(i *soaked) map[string]any {
	i.name, i.state, i.option, i.integer, i.text = fmt.Sprint("name ", s.rng.IntN(1000)),
		s.rng.IntN(len(s.states)), s.rng.IntN(len(s.options)+1)-1, nil, ""
	if s.rng.IntN(4) > 0 {
		i.integer = new(int64)
		*i.integer = s.rng.Int64N(20) - 10
	}
	if n := s.rng.IntN(6); n > 0 {
		i.text = strings.Repeat(string(rune('a'+s.rng.IntN(5))), []int{1, 3, 3, 20, 400}[n-1])
	}
	i.description = ""
	if s.rng.IntN(3) == 0 {
		i.description = strings.Repeat(fmt.Sprint(s.rng.IntN(100), " "), 1+s.rng.IntN(300))
	}
	value := func(field, member string, v any, none bool) map[string]any {
		if none {
			return map[string]any{"field": field, "value": nil}
		}
		return map[string]any{"field": field, "value": map[string]any{member: v}}
	}
	in := map[string]any{"name": i.name, "state": s.states[i.state], "description": i.description,
		"values": []any{value(s.text, "text", i.text, i.text == ""), nil, nil}}
	all := in["values"].([]any)
	all[1] = value(s.integer, "integer", "", true)
	if i.integer != nil {
		all[1] = value(s.integer, "integer", strconv.FormatInt(*i.integer, 10), false)
	}
	all[2] = value(s.option, "option", "", true)
	if i.option >= 0 {
		all[2] = value(s.option, "option", s.options[i.option], false)
	}
	return in
}

func (s *soaker) create(n int) {
	var made []*soaked
	var in []any
	key := s.key()
	for range n {
		i := &soaked{version: 1}
		in, made = append(in, s.change(i)), append(made, i)
	}
	var got struct {
		CreateIssues struct {
			Results []struct {
				Issue *soakedRow
				Error *struct{ Code, Message string }
			}
		}
	}
	for again := true; again; {
		if !s.must(
			`mutation($p: ID!, $in: [NewIssueInput!]!, $k: String!, $t: ID!, $i: ID!, $o: ID!) { createIssues(input: {project: $p, issues: $in, idempotencyKey: $k}) { results { issue {`+soakRow+`} error { code message } } } }`,
			s.with(map[string]any{"in": in, "k": key}), &got) {
			return
		}
		again = false
		for n, r := range got.CreateIssues.Results {
			switch {
			case r.Error != nil && r.Error.Code == string(tracker.Unavailable):
				again = true
			case r.Error != nil:
				s.t.Errorf("createIssues: %+v", *r.Error)
				return
			default:
				made[n].id, made[n].num = r.Issue.ID, r.Issue.Num
				s.same("a new issue", r.Issue, s.row(made[n]))
			}
		}
	}
	s.issues = append(s.issues, made...)
}

func (s *soaker) update() {
	i := s.issues[s.rng.IntN(len(s.issues))]
	in := s.change(i)
	in["id"], in["expectedVersion"], in["idempotencyKey"] = i.id, i.version, s.key()
	i.version++
	var got struct{ UpdateIssue struct{ Issue soakedRow } }
	if s.must(
		`mutation($in: UpdateIssueInput!, $t: ID!, $i: ID!, $o: ID!) { updateIssue(input: $in) { issue {`+
			soakRow+`} } }`, s.with(map[string]any{"in": in, "p": nil}), &got) {
		s.same("a changed issue", got.UpdateIssue.Issue, s.row(i))
	}
}

func (s *soaker) remove() {
	n := s.rng.IntN(len(s.issues))
	i := s.issues[n]
	var got struct {
		DeleteIssue struct{ DeletedIssueID string }
	}
	if s.must(`mutation($in: DeleteIssueInput!) { deleteIssue(input: $in) { deletedIssueId } }`,
		map[string]any{"in": map[string]any{"id": i.id, "expectedVersion": i.version,
			"idempotencyKey": s.key()}}, &got) {
		s.same("a deleted issue", got.DeleteIssue.DeletedIssueID, i.id)
		s.issues, s.deleted = slices.Delete(s.issues, n, n+1), append(s.deleted, i)
	}
}

func (s *soaker) restore() {
	n := s.rng.IntN(len(s.deleted))
	i := s.deleted[n]
	var got struct{ RestoreIssue struct{ Issue soakedRow } }
	if s.must(
		`mutation($in: RestoreIssueInput!, $t: ID!, $i: ID!, $o: ID!) { restoreIssue(input: $in) { issue {`+
			soakRow+`} } }`,
		s.with(map[string]any{"in": map[string]any{"id": i.id, "idempotencyKey": s.key()}}), &got) {
		i.version = got.RestoreIssue.Issue.Version
		s.same("a restored issue", got.RestoreIssue.Issue, s.row(i))
		s.deleted, s.issues = slices.Delete(s.deleted, n, n+1), append(s.issues, i)
	}
}
