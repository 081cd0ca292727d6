//go:build unix

package chaos_test

import (
	"fmt"

	"issuegrid/tracker"
)

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
			v = map[string]any{"optionId": f.Options[c.rng.IntN(len(f.Options))].ID}
		}
		if v == nil {
			values = append(values, map[string]any{"fieldId": f.ID, "clear": true})
			continue
		}
		values = append(values, map[string]any{"fieldId": f.ID, "value": v})
	}
	in["values"] = values
}

func (c *client) fickleFields(p *project) (out []field) {
	var got struct{ Project struct{ Fields []field } }
	if failed := c.ask(`query($p: ID!) { project(id: $p) { fields { id name type options { id name } } } }`,
		map[string]any{"p": p.id}, &got); failed != nil {
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

// changeDefinition changes a field of the fickle project.
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
		c.defined(what, c.ask(`mutation($i: `+input+`!) { `+what+`(input: $i) `+selection+` }`,
			map[string]any{"i": in}, &ignored))
	}
	switch n := c.rng.IntN(7); {
	case n == 6:
		moved := c.rng.Perm(len(c.stateIDs[p]))
		c.defined("moveState", c.ask(`mutation($i: MoveStateInput!) { moveState(input: $i) { project { id } } }`,
			map[string]any{"i": map[string]any{"id": c.stateIDs[p][moved[0]],
				"to": map[string]any{"beforeId": c.stateIDs[p][moved[1]]}}}, &ignored))
	case n == 0:
		do("deleteCustomField", "DeleteCustomFieldInput", map[string]any{"id": f.ID}, `{ deletedCustomFieldId }`)
	case f.Type == tracker.TypeSelect && n < 4 && len(f.Options) > 2:
		if n == 1 {
			do("mergeOptions", "MergeOptionsInput",
				map[string]any{"fieldId": f.ID, "fromIds": []string{f.Options[0].ID},
					"into": map[string]any{"optionId": f.Options[1].ID}},
				`{ field { id } }`)
			return
		}
		moved := c.rng.Perm(len(f.Options))
		c.defined("moveOption", c.ask(`mutation($i: MoveOptionInput!) { moveOption(input: $i) { field { id } } }`,
			map[string]any{"i": map[string]any{"id": f.Options[moved[0]].ID,
				"to": map[string]any{"beforeId": f.Options[moved[1]].ID}}}, &ignored))
	case f.Type == tracker.TypeInteger || f.Type == tracker.TypeSelect:
		do("changeCustomFieldType", "ChangeCustomFieldTypeInput",
			map[string]any{"id": f.ID, "type": tracker.TypeText, "unconvertible": "REMOVE"}, `{ job { id } }`)
	default:
		do("changeCustomFieldType", "ChangeCustomFieldTypeInput",
			map[string]any{"id": f.ID, "type": tracker.TypeInteger, "unconvertible": "REMOVE"}, `{ job { id } }`)
	}
}

// defined records the outcome of a definition change. The change may fail, but not with an internal error.
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
