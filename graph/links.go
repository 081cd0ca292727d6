package graph

import (
	"context"
	"strconv"

	"issuegrid/graph/model"
	"issuegrid/tracker"
)

func linkUserNames(ctx context.Context, in model.LinkUserNamesInput) (*model.LinkUserNamesPayload, error) {
	e, err := editOf(ctx, in.FieldID, model.ParseFieldID, in.IdempotencyKey, "linkUserNames", in)
	if err != nil {
		return nil, err
	}
	links, invalid := userLinks(ctx, e.Tenant, in.Links)
	if other := otherError(invalid); other != nil {
		return nil, other
	}
	field, err := e.changeOptions(ctx, "", func(f *tracker.Field) error {
		return tracker.Join(f.LinkNames(links), invalid)
	})
	if err != nil {
		return nil, err
	}
	return &model.LinkUserNamesPayload{Field: field, Job: startedJob(ctx, e.NodeID, e.writes)}, nil
}

// userLinks converts the links of an input, of which the users may be deactivated.
func userLinks(ctx context.Context, t tracker.TenantID, in []*model.UserNameLinkInput) ([]tracker.UserLink,
	error) {
	out := make([]tracker.UserLink, len(in))
	for i, link := range in {
		out[i].Name = link.Name // as values have it
	}
	if len(in) > tracker.MaxUserLinks {
		return out, nil // LinkNames reports it
	}
	p, err := newParticipantParser(ctx, t)
	if err != nil {
		return nil, err
	}
	ids, at := []tracker.UserID{}, []int{} // of the ids that are those of users
	for i, link := range in {
		one, _ := p.participant(ctx, link.UserID)
		if id, ok := one.User(); ok {
			ids, at = append(ids, id), append(at, i)
		}
	}
	users, err := p.reads.People().Users(ctx, ids)
	if err != nil {
		return nil, err
	}
	for n, u := range users {
		if u != nil {
			out[at[n]].User, out[at[n]].UserName = u.ID, u.Name
		}
	}
	var wrong []error
	for i := range out {
		if out[i].User == "" {
			wrong = append(wrong, tracker.Bad("links["+strconv.Itoa(i)+"].userId",
				"the tenant has no such user"))
		}
	}
	return out, tracker.Join(wrong...)
}
