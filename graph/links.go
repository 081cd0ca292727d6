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
	out, ids := make([]tracker.UserLink, len(in)), make([]string, len(in))
	for i, link := range in {
		out[i].Name, ids[i] = link.Name, link.UserID // the name as values have it
	}
	if len(in) > tracker.MaxUserLinks {
		return out, nil // LinkNames reports it
	}
	p, err := newParticipantParser(ctx, t)
	if err != nil {
		return nil, err
	}
	p.prefetch(ctx, ids)
	var wrong []error
	for i, id := range ids {
		u, err := p.user(ctx, id, false)
		if err != nil {
			wrong = append(wrong, tracker.At("links["+strconv.Itoa(i)+"].userId", err))
			continue
		}
		out[i].User, out[i].UserName = u.ID, u.Name
	}
	return out, tracker.Join(wrong...)
}
