package dynamo_test

import (
	"fmt"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/sync/errgroup"

	"issuegrid/tracker"
)

// names returns the names of a project's fields, in their order.
func names(d *tracker.Definition) []string {
	var out []string
	for _, field := range d.Fields {
		out = append(out, field.Name)
	}
	return out
}

func TestFieldsAreOrderedByPosition(t *testing.T) {
	f := setup(t)
	d := f.project(f.store, tracker.Project{ID: "p2", Key: "P2", Name: "Ordered"},
		tracker.Field{ID: "f9", Name: "first", Type: tracker.TypeText},
		tracker.Field{ID: "f1", Name: "second", Type: tracker.TypeText},
		tracker.Field{ID: "f5", Name: "near the end", Type: tracker.TypeText, Position: 100},
		tracker.Field{ID: "f6", Name: "tie b", Type: tracker.TypeText, Position: 50},
		tracker.Field{ID: "f4", Name: "tie a", Type: tracker.TypeText, Position: 50},
		tracker.Field{ID: "f2", Name: "before all", Type: tracker.TypeText, Position: -1},
		tracker.Field{ID: "f0", Name: "last", Type: tracker.TypeText})
	if diff := cmp.Diff([]string{"before all", "first", "second", "tie a", "tie b", "near the end", "last"},
		names(d)); diff != "" {
		t.Errorf("fields (-want +got):\n%s", diff)
	}
	if last := d.Field("f0"); last.Position != 101 {
		t.Errorf("position %d, want 101", last.Position)
	}
	_, err := f.store.UpdateField(t.Context(), "p2", "f0", func(field *tracker.Field) error {
		field.Position = -2
		return nil
	})
	f.must(err)
	d, err = f.store.Definition(t.Context(), "p2")
	if f.must(err); names(d)[0] != "last" {
		t.Errorf("fields after moving the last one to the front: %v", names(d))
	}
	t.Run("fields created concurrently", func(t *testing.T) {
		var group errgroup.Group
		for n := range 4 {
			group.Go(func() error {
				_, err := f.store.CreateField(t.Context(), "p2",
					tracker.Field{ID: tracker.FieldID(fmt.Sprintf("many%d", n)),
						Name: fmt.Sprintf("Many %d", n), Type: tracker.TypeText})
				return err
			})
		}
		f.must(group.Wait())
		d, err := f.store.Definition(t.Context(), "p2")
		f.must(err)
		var positions []int64
		for _, field := range d.Fields[len(d.Fields)-4:] {
			positions = append(positions, field.Position)
		}
		if diff := cmp.Diff([]int64{101, 102, 103, 104}, positions); diff != "" {
			t.Errorf("positions (-want +got):\n%s", diff)
		}
	})
}

func TestFieldNamesAreUnique(t *testing.T) {
	f := setup(t)
	var group errgroup.Group
	var mu sync.Mutex
	var won []tracker.FieldID
	for n := range 8 {
		group.Go(func() error {
			id := tracker.FieldID(fmt.Sprintf("many%d", n))
			_, err := f.store.CreateField(t.Context(), project,
				tracker.Field{ID: id, Name: []string{"Same Name", "SAME name"}[n%2], Type: tracker.TypeText})
			mu.Lock()
			defer mu.Unlock()
			if err == nil {
				won = append(won, id)
			} else if tracker.CodeOf(err) != tracker.Conflict {
				return err
			}
			return nil
		})
	}
	f.must(group.Wait())
	d, err := f.store.Definition(t.Context(), project)
	if f.must(err); len(won) != 1 || len(d.Fields) != len(everyField())+1 || d.Field(won[0]) == nil {
		t.Errorf("created %v, want one field; fields %v", won, names(d))
	}
	_, err = f.store.UpdateField(t.Context(), project, "ftext", func(field *tracker.Field) error {
		field.Name = "same NAME"
		return nil
	})
	wantCode(t, err, tracker.Conflict, "already")
	_, err = f.store.CreateField(t.Context(), project,
		tracker.Field{ID: "ftext", Name: "New", Type: tracker.TypeText})
	wantCode(t, err, tracker.Conflict, "already")
}

//test:engine
func TestFieldLimit(t *testing.T) {
	f := setup(t)
	f.project(f.store, tracker.Project{ID: "p2", Key: "P2", Name: "Full"})
	for n := range tracker.MaxFields - 1 {
		id := fmt.Sprintf("f%d", n)
		f.raw.put(attributes(item{"PK": "acme/project-p2", "SK": "acme/xattrib-p2." + id, "id": id,
			"name": "Field " + id, "type": "TEXT",
			"position": number(fmt.Sprint(n))}))
	}
	var group errgroup.Group
	var won, refused atomic.Int32
	for n := range 3 {
		group.Go(func() error {
			_, err := f.store.CreateField(t.Context(), "p2",
				tracker.Field{ID: tracker.FieldID(fmt.Sprintf("last%d", n)), Name: fmt.Sprintf("Last %d", n),
					Type: tracker.TypeText})
			switch {
			case err == nil:
				won.Add(1)
			case tracker.CodeOf(err) == tracker.BadInput && strings.Contains(messageOf(err), "400"):
				refused.Add(1)
			default:
				return err
			}
			return nil
		})
	}
	f.must(group.Wait())
	if won.Load() != 1 || refused.Load() != 2 {
		t.Errorf("%d fields were added and %d refused, want 1 and 2", won.Load(), refused.Load())
	}
	d, err := f.store.Definition(t.Context(), "p2")
	if f.must(err); len(d.Fields) != tracker.MaxFields {
		t.Errorf("%d fields, want %d", len(d.Fields), tracker.MaxFields)
	}
	_, err = f.store.UpdateField(t.Context(), "p2", "f0", func(field *tracker.Field) error {
		field.Name = "Renamed"
		return nil
	})
	f.must(err) // the fields of a full project can still be changed
}

func TestUpdateField(t *testing.T) {
	f := setup(t)
	changed, err := f.store.UpdateField(t.Context(), project, "fsel", func(field *tracker.Field) error {
		// the id cannot be changed
		field.ID, field.Name, field.Description, field.Required = "other", "Choice", "What was chosen", true
		field.Options[1] = tracker.Option{ID: "o1", Name: "Renamed", Color: "#1f883d"}
		field.Options = append(field.Options, tracker.Option{ID: "o3", Name: "Added"})
		return nil
	})
	f.must(err)
	want := tracker.Field{ID: "fsel", Name: "Choice", Description: "What was chosen",
		Type: tracker.TypeSelect, Required: true, Position: 8,
		Options: []tracker.Option{{ID: "o0", Name: "Option 0"}, {ID: "o1", Name: "Renamed", Color: "#1f883d"},
			{ID: "o2", Name: "Option 2"}, {ID: "o3", Name: "Added"}}, Changes: 1}
	if diff := cmp.Diff(want, *changed); diff != "" {
		t.Errorf("changed (-want +got):\n%s", diff)
	}
	d := f.known()
	if diff := cmp.Diff(&want, d.Field("fsel")); diff != "" {
		t.Errorf("read (-want +got):\n%s", diff)
	}
	if len(d.Fields) != len(everyField()) {
		t.Errorf("fields %v", names(d))
	}
	before := f.raw.items("acme/")
	for _, test := range []struct {
		name   string
		change func(*tracker.Field)
		words  string
	}{
		{"an option removed", func(x *tracker.Field) {
			x.Options = x.Options[:3]
		}, "removed only by merging it"},
		{"an option's id twice", func(x *tracker.Field) {
			x.Options = append(x.Options, tracker.Option{ID: "o1", Name: "New"})
		}, "option"},
		{"an option's name twice", func(x *tracker.Field) {
			x.Options = append(x.Options, tracker.Option{ID: "o4", Name: "renamed"})
		}, "differ only in case"},
		{"an option's id with a separator", func(x *tracker.Field) {
			x.Options = append(x.Options, tracker.Option{ID: "o.4", Name: "New"})
		}, "option"},
		{"another type", func(x *tracker.Field) { x.Type = tracker.TypeText; x.Options = nil }, "type"},
		{"no name", func(x *tracker.Field) { x.Name = " " }, "name"},
	} {
		t.Run(test.name, func(t *testing.T) {
			_, err := f.store.UpdateField(t.Context(), project, "fsel", func(x *tracker.Field) error {
				test.change(x)
				return nil
			})
			wantCode(t, err, tracker.BadInput, test.words)
		})
	}
	_, err = f.store.UpdateField(t.Context(), project, "gone", func(*tracker.Field) error { return nil })
	wantCode(t, err, tracker.NotFound, "field")
	_, err = f.store.CreateField(t.Context(), "gone",
		tracker.Field{ID: "f1", Name: "x", Type: tracker.TypeText})
	wantCode(t, err, tracker.NotFound, "project")
	_, err = f.store.CreateField(t.Context(), project, tracker.Field{ID: "f1", Name: "x", Type: "NONSENSE"})
	wantCode(t, err, tracker.BadInput, "NONSENSE")
	if diff := cmp.Diff(before, f.raw.items("acme/")); diff != "" {
		t.Errorf("refused changes wrote:\n%s", diff)
	}
}

// TestFieldIDs creates fields without ids at the same time, and deletes some: no id is given twice.
func TestFieldIDs(t *testing.T) {
	f := setup(t)
	given := map[tracker.FieldID]bool{}
	for round := range 3 {
		var group errgroup.Group
		var mu sync.Mutex
		for n := range 4 {
			group.Go(func() error {
				created, err := f.store.CreateField(t.Context(), project,
					tracker.Field{Name: fmt.Sprintf("Field %d of %d", n, round), Type: tracker.TypeText})
				if err != nil {
					return err
				}
				mu.Lock()
				defer mu.Unlock()
				if given[created.ID] || len(created.ID) != 2 {
					t.Errorf("round %d: the id %q", round, created.ID)
				}
				given[created.ID] = true
				if n%2 == 0 {
					return f.store.DeleteField(t.Context(), project, created.ID, nil)
				}
				return nil
			})
		}
		f.must(group.Wait())
	}
}
