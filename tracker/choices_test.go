package tracker_test

import (
	"fmt"
	"maps"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"issuegrid/tracker"
)

// TestEdits makes random edits of options one after the other. Every edit changes what it names and nothing
// else, and an edit that is refused changes nothing.
func TestEdits(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		f := tracker.Field{Name: "F", Type: tracker.TypeSelect, Required: rapid.Bool().Draw(t, "required")}
		names := rapid.SampledFrom([]string{"a", "A", "b", "c", "d", "e", "f", "", "x\u202e"})
		var gone []tracker.OptionID
		var edits int
		id := func() tracker.OptionID {
			all := []tracker.OptionID{"unknown"}
			for _, o := range f.Options {
				all = append(all, o.ID)
			}
			return rapid.SampledFrom(append(all, gone...)).Draw(t, "id")
		}
		ids := func(options []tracker.Option) []tracker.OptionID {
			out := []tracker.OptionID{}
			for _, o := range options {
				out = append(out, o.ID)
			}
			return out
		}
		t.Repeat(map[string]func(*rapid.T){
			"add": func(t *rapid.T) {
				edits++
				before := f
				o := tracker.Option{ID: tracker.OptionID(fmt.Sprint("o", edits)), Name: names.Draw(t, "name"),
					Color: "red"}
				err := f.AddOption(o)
				check(t, before, f, err, append(slices.Clone(before.Options), o))
			},
			"change": func(t *rapid.T) {
				before := f
				o := tracker.Option{ID: id(), Name: names.Draw(t, "name")}
				err := f.ChangeOption(o)
				want := slices.Clone(before.Options)
				if i, ok := before.OptionRank(o.ID); ok {
					want[i] = o
				} else if tracker.CodeOf(err) != tracker.NotFound {
					t.Errorf("changing an option that does not exist: %v", err)
				}
				check(t, before, f, err, want)
			},
			"move": func(t *rapid.T) {
				before := f
				moved, next := id(), id()
				if rapid.Bool().Draw(t, "last") {
					next = ""
				}
				err := f.MoveOption(moved, next)
				if err != nil {
					check(t, before, f, err, nil)
					return
				}
				order := ids(f.Options)
				at := slices.Index(order, moved)
				if next == "" && at != len(order)-1 || next != "" && order[at+1] != next {
					t.Errorf("%s moved before %q: %v", moved, next, order)
				}
				others := func(all []tracker.OptionID) []tracker.OptionID {
					return slices.DeleteFunc(all, func(o tracker.OptionID) bool { return o == moved })
				}
				if diff := cmp.Diff(others(ids(before.Options)), others(order)); diff != "" {
					t.Errorf("the other options (-before +after):\n%s", diff)
				}
			},
			"merge": func(t *rapid.T) {
				before := f
				from, into := []tracker.OptionID{id(), id()}, id()
				if rapid.Bool().Draw(t, "into none") {
					into = ""
				}
				err := f.MergeOptions(from, into)
				if err != nil {
					check(t, before, f, err, nil)
					return
				}
				gone = append(gone, from...)
				if into == "" && f.Required {
					t.Error("the options of a required field were removed")
				}
				check(t, before, f, nil, slices.DeleteFunc(slices.Clone(before.Options),
					func(o tracker.Option) bool { return slices.Contains(from, o.ID) }))
				for was, now := range f.Merged {
					if _, ok := f.Option(was); ok {
						t.Errorf("%s was merged, and is still an option", was)
					}
					if _, ok := f.Option(now); !ok && now != "" {
						t.Errorf("%s was merged into %s, which is not an option", was, now)
					}
				}
			},
			"": func(t *rapid.T) {
				if err := tracker.NewDefinition(tracker.Project{}, nil).CheckField(&f); err != nil {
					t.Errorf("the options %v: %v", f.Options, err)
				}
			},
		})
	})
}

// check checks the options of a field after an edit: want, or those from before if there was an error.
func check(t *rapid.T, before, after tracker.Field, err error, want []tracker.Option) {
	t.Helper()
	if err != nil {
		want = before.Options
		if !maps.Equal(before.Merged, after.Merged) {
			t.Errorf("a refused edit merged: %v", after.Merged)
		}
	}
	if !slices.Equal(want, after.Options) {
		t.Errorf("the options are %v, want %v; error %v", after.Options, want, err)
	}
}

// TestEditsOfStates checks the rules of states that options do not have: a project keeps an open state, and
// every issue has a state.
func TestEditsOfStates(t *testing.T) {
	project := tracker.Project{States: []tracker.State{{ID: "a", Name: "A", Open: true}, {ID: "b", Name: "B"},
		{ID: "c", Name: "C", Open: true}}}
	for _, test := range []struct {
		name string
		edit func(p *tracker.Project) error
		path string // of the error, if the edit is refused
		want string // the states, if it is not
	}{
		{"close one", func(p *tracker.Project) error {
			return p.ChangeState(tracker.State{ID: "a", Name: "A"})
		}, "", "a b c"},
		{"close both", func(p *tracker.Project) error {
			if err := p.ChangeState(tracker.State{ID: "a", Name: "A"}); err != nil {
				return err
			}
			return p.ChangeState(tracker.State{ID: "c", Name: "C"})
		}, "open", "a b c"},
		{"merge one", func(p *tracker.Project) error {
			return p.MergeStates([]tracker.OptionID{"a"}, "b")
		}, "", "b c"},
		{"merge both", func(p *tracker.Project) error {
			return p.MergeStates([]tracker.OptionID{"a", "c"}, "b")
		}, "from", "a b c"},
		{"merge into none", func(p *tracker.Project) error {
			return p.MergeStates([]tracker.OptionID{"b"}, "")
		}, "into", "a b c"},
		{"move to the end", func(p *tracker.Project) error { return p.MoveState("a", "") }, "", "b c a"},
		{"move to the start", func(p *tracker.Project) error { return p.MoveState("c", "a") }, "", "c a b"},
		{"move before an unknown one", func(p *tracker.Project) error { return p.MoveState("a", "x") },
			"before", "a b c"},
		{"add with an id that is taken", func(p *tracker.Project) error {
			return p.AddState(tracker.State{ID: "a", Name: "New"})
		}, "", "a b c"},
	} {
		p := project
		err := test.edit(&p)
		var states, path string
		for i, s := range p.States {
			if i > 0 {
				states += " "
			}
			states += string(s.ID)
		}
		if all := tracker.AllOf(err); len(all) > 0 {
			path = all[0].Path
		}
		if refused := test.path != "" || test.name == "add with an id that is taken"; states != test.want ||
			path != test.path || (err != nil) != refused {
			t.Errorf("%s: %v, error %v", test.name, p.States, err)
		}
	}
	if len(project.States) != 3 || !project.States[0].Open || project.Merged != nil {
		t.Errorf("an edit has changed what it shares with another project: %+v", project)
	}
}

// TestCurrentState checks that readers see merged states replaced, and the values of the issue as they are.
func TestCurrentState(t *testing.T) {
	p := tracker.Project{States: []tracker.State{{ID: "a", Open: true}, {ID: "b"}},
		Rebuild: tracker.Rebuild{Merged: map[tracker.OptionID]tracker.OptionID{"c": "b"}}}
	d := tracker.NewDefinition(p, []*tracker.Field{{ID: "f", Type: tracker.TypeText}})
	values := map[tracker.FieldID]tracker.Value{"f": tracker.Text("x")}
	old := &tracker.Issue{State: "c", Version: 3, Values: values}
	now := d.Current(old)
	if now.State != "b" || now.Version != 3 || old.State != "c" || !now.Values["f"].Equal(values["f"]) {
		t.Errorf("%+v became %+v", old, now)
	}
	now.Values["f"] = tracker.Text("y")
	if values["f"].Text() != "x" {
		t.Error("the values are shared with the stored issue")
	}
	if same := (&tracker.Issue{State: "a"}); d.Current(same) != same {
		t.Error("an issue that is not outdated was copied")
	}
	for column, want := range map[tracker.Column]bool{tracker.ColumnState: true, tracker.ColumnName: false,
		"f": false, "gone": false} {
		if got := d.RebuildingColumn(column); got != want {
			t.Errorf("column %s is being rebuilt: %t", column, got)
		}
	}
}
