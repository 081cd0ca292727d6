package graph

import (
	"context"

	"issuegrid/graph/model"
	"issuegrid/graph/view"
	"issuegrid/tracker"
)

func createView(ctx context.Context, in model.CreateViewInput) (*model.CreateViewPayload, error) {
	if model.Is(in.Shared, true) {
		if err := mustBe(ctx, tracker.Editor, "input.shared"); err != nil {
			return nil, err
		}
	}
	if model.Is(in.IsDefault, true) {
		if err := mustBe(ctx, tracker.Admin, "input.isDefault"); err != nil {
			return nil, err
		}
	}
	n, w, invalid := keyedWriterOf(ctx, in.ProjectID, parseProjectID, in.IdempotencyKey, "createView",
		in)
	if err := otherError(invalid); err != nil {
		return nil, err
	}
	d, err := lookUpDefinition(ctx, n)
	if err != nil {
		return nil, err
	}
	id, err := newID()
	if err != nil {
		return nil, err
	}
	v := tracker.View{ID: tracker.ViewID(id), Project: n.Project, Name: tracker.CleanName(in.Name),
		Shared: model.Is(in.Shared, true), Default: model.Is(in.IsDefault, true),
		Board: model.Is(in.Layout, model.ViewLayoutBoard)}
	err = viewInput{in.Columns, in.Filter, in.OrderBy, in.GroupBy, in.Summaries}.set(ctx, d, &v)
	err = tracker.Join(invalid, tracker.At("input", tracker.Join(err, v.Check(nil))))
	if invalid == nil {
		err = unlessRepeated(ctx, w, err)
	}
	if err != nil {
		return nil, err
	}
	view.NoteNames(d, &v, memberOf)
	created, err := w.CreateView(ctx, v)
	if err != nil {
		return nil, asInput("project", err)
	}
	out, err := writtenView(ctx, n, d, created)
	return &model.CreateViewPayload{View: out}, err
}

// writtenView returns a view that was just written.
func writtenView(ctx context.Context, n model.NodeID, d *tracker.Definition, v *tracker.View) (*model.View,
	error) {
	l, err := tenantLoaders(ctx, n)
	if err != nil {
		return nil, err
	}
	return currentView(ctx, d, v, l)
}

// mayChange returns a Forbidden error unless the principal may change a view to a state in which it is shared
// and the default, or not. Its paths are relative to the input; by is the member that makes it the default,
// or ends that.
func mayChange(ctx context.Context, v *tracker.View, shared, isDefault bool, by string) error {
	if v.Shared {
		if err := mustBe(ctx, tracker.Editor, ""); err != nil {
			return err
		}
	}
	if shared != v.Shared {
		if err := mustBe(ctx, tracker.Editor, "shared"); err != nil {
			return err
		}
	}
	if isDefault != v.Default {
		return mustBe(ctx, tracker.Admin, by)
	}
	return nil
}

func updateView(ctx context.Context, in model.UpdateViewInput) (*model.UpdateViewPayload, error) {
	n, w, invalid, err := checkedWriterOf(ctx, in.ID, parseViewID, in.IdempotencyKey, "updateView", in)
	if err != nil {
		return nil, err
	}
	d, err := lookUpDefinition(ctx, n)
	if err != nil {
		return nil, asInput("view", err)
	}
	var given tracker.View // converted once, however often the change is made again
	wrong := viewInput{in.Columns, in.Filter, in.OrderBy, in.GroupBy, in.Summaries}.set(ctx, d, &given)
	if err := otherError(wrong); err != nil {
		return nil, err
	}
	changed, err := w.UpdateView(ctx, n.ViewRef(), int64Of(in.ExpectedVersion), func(v *tracker.View) error {
		if v.Outdated(d) {
			return tracker.ErrDefinitionChanged
		}
		shared, isDefault := v.Shared, v.Default
		set(&shared, in.Shared)
		by := "shared"
		if isDefault = isDefault && shared; in.IsDefault != nil { // one that is made private is no default
			isDefault, by = *in.IsDefault, "isDefault"
		}
		if err := mayChange(ctx, v, shared, isDefault, by); err != nil {
			return err
		}
		v.Shared, v.Default = shared, isDefault
		badName := setName("name", &v.Name, in.Name)
		if in.Columns != nil {
			v.Columns = given.Columns
		}
		if in.Filter != nil {
			v.Filter = given.Filter
		}
		if in.OrderBy != nil {
			v.Order = given.Order
		}
		if in.GroupBy != nil {
			v.Groupings = given.Groupings
		}
		if in.Summaries != nil {
			v.Summaries = given.Summaries
		}
		if in.Layout != nil {
			v.Board = *in.Layout == model.ViewLayoutBoard
		}
		if in.Columns != nil || in.Filter != nil || in.OrderBy != nil || in.GroupBy != nil ||
			in.Summaries != nil {
			v.Checked = given.Checked
			view.NoteNames(d, v, memberOf)
		}
		return tracker.Join(invalid, badName, wrong)
	})
	if err != nil {
		return nil, asInput("view", err)
	}
	out, err := writtenView(ctx, n, d, changed)
	return &model.UpdateViewPayload{View: out}, err
}

func deleteView(ctx context.Context, in model.DeleteViewInput) (*model.DeleteViewPayload, error) {
	n, w, err := keyedWriterOf(ctx, in.ID, parseViewID, in.IdempotencyKey, "deleteView", in)
	if err != nil {
		return nil, err
	}
	d, err := lookUpDefinition(ctx, n)
	if err != nil {
		return nil, asInput("view", err)
	}
	err = w.DeleteView(ctx, n.ViewRef(), int64Of(in.ExpectedVersion), func(v *tracker.View) error {
		return mayChange(ctx, v, v.Shared, false, "")
	})
	if err != nil {
		return nil, asInput("view", err)
	}
	project, err := projectOf(ctx, n, d)
	return &model.DeleteViewPayload{DeletedViewID: &in.ID, Project: project}, err
}
