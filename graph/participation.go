package graph

import (
	"context"
	"slices"

	"github.com/99designs/gqlgen/graphql"

	"issuegrid/graph/estimate"
	"issuegrid/graph/model"
	"issuegrid/grid"
	"issuegrid/internal/columns"
	"issuegrid/internal/participation"
	"issuegrid/tracker"
)

// participationArgs are the arguments of a list of issues in which users and teams take part.
type participationArgs struct {
	first, last   *int32
	after, before *string
	roles         []model.ParticipantRole
	status        *model.IssueStatusFilter
	orderBy       *model.ParticipationOrder
	where         *model.ParticipationFilter
	timeZone      *string
}

var participantRoles = map[model.ParticipantRole]tracker.ParticipantRole{
	model.ParticipantRoleAssignee: tracker.RoleAssignee,
	model.ParticipantRoleWatcher:  tracker.RoleWatcher,
	model.ParticipantRoleAuthor:   tracker.RoleAuthor,
}

var participationColumns = map[model.ParticipationColumn]tracker.Column{
	model.ParticipationColumnUpdatedAt: tracker.ColumnUpdated,
	model.ParticipationColumnCreatedAt: tracker.ColumnCreated,
	model.ParticipationColumnNum:       tracker.ColumnNum,
}

// order returns the order, by default that of the last changes.
func (a *participationArgs) order() model.ParticipationOrder {
	latest := model.OrderDirectionDesc
	return model.Or(a.orderBy, model.ParticipationOrder{Direction: &latest})
}

// column returns the column of the order.
func (a *participationArgs) column() tracker.Column {
	return participationColumns[model.Or(a.order().Column, model.ParticipationColumnUpdatedAt)]
}

// ways returns the ways in which issues of participants are found, each once.
func (a *participationArgs) ways(participants []tracker.Participant) ([]columns.Way, error) {
	roles, wanted := a.roles, model.Or(a.status, model.IssueStatusFilterOpen)
	if roles == nil {
		roles = []model.ParticipantRole{model.ParticipantRoleAssignee}
	}
	if len(roles) == 0 {
		return nil, tracker.Bad("roles", "give at least one role")
	}
	var out []columns.Way
	for _, p := range participants {
		_, isUser := p.User()
		for i, role := range roles {
			if slices.Contains(roles[:i], role) || role == model.ParticipantRoleAuthor && !isUser {
				continue
			}
			for closed, status := range map[bool]model.IssueStatusFilter{false: model.IssueStatusFilterOpen,
				true: model.IssueStatusFilterClosed} {
				if wanted == status || wanted == model.IssueStatusFilterAll {
					out = append(out, columns.Way{Participant: p, Role: participantRoles[role],
						Closed: closed, By: a.column()})
				}
			}
		}
	}
	return out, nil
}

// issueFilter returns the filter as one of a grid.
func (a *participationArgs) issueFilter() *model.IssueFilter {
	if a.where == nil {
		return nil
	}
	w := a.where
	return &model.IssueFilter{Num: w.Num, Name: w.Name, CreatedAt: w.CreatedAt, UpdatedAt: w.UpdatedAt,
		CreatedBy: w.CreatedBy, UpdatedBy: w.UpdatedBy, Assignees: w.Assignees, Watchers: w.Watchers}
}

// issuesOfViewer returns the issues of the caller; nil if it has no account.
func (r *Resolver) issuesOfViewer(ctx context.Context, v *model.Viewer, own, teams bool,
	a participationArgs) (*model.ParticipationConnection, error) {
	u, err := accountOf(ctx, v)
	if u == nil || err != nil {
		return nil, err
	}
	return r.issuesOfUser(ctx, u, own, teams, a)
}

func (r *Resolver) issuesOfUser(ctx context.Context, u *model.User, own, teams bool, a participationArgs) (
	*model.ParticipationConnection, error) {
	if !own && !teams {
		return nil, tracker.Bad("own", "`own` and `teams` are both false; one of them must be true")
	}
	var participants []tracker.Participant
	if own {
		participants = append(participants, tracker.UserParticipant(u.User.ID))
	}
	if teams {
		for _, id := range u.User.Teams {
			participants = append(participants, tracker.TeamParticipant(id))
		}
	}
	return r.readParticipation(ctx, u.Tenant, u.Loaders, participants, a)
}

// readParticipation returns a page of the issues of participants.
func (r *Resolver) readParticipation(ctx context.Context, t tracker.TenantID, l model.Reads,
	participants []tracker.Participant, a participationArgs) (*model.ParticipationConnection, error) {
	chargeGrid(ctx)
	q, mark, err := r.participationRequest(ctx, t, participants, a)
	if err != nil {
		return nil, err
	}
	c := &model.ParticipationConnection{PageInfo: &model.PageInfo{}, Edges: []*model.ParticipationEdge{},
		Nodes: []*model.Issue{}}
	c.Count = func(ctx context.Context) (int, bool, error) {
		return participation.Count(ctx, l, q.Ways.Ways)
	}
	want := participationSelectionOf(ctx)
	size := q.Size
	if len(q.Ways.Ways) == 0 || !want.rows || size == 0 && !want.hasNext && !want.hasPrevious {
		return c, nil
	}
	q.NeedNext, q.NeedPrevious, q.Size = want.hasNext, want.hasPrevious, max(1, size)
	fetch := l.Issues
	if !want.values {
		fetch = l.Heads
	}
	page, err := participation.Read(ctx, r.source(ctx, l, fetch), l.Definition, q)
	if err != nil {
		return nil, err
	}
	c.PageInfo.HasNextPage, c.PageInfo.HasPreviousPage = page.HasNext, page.HasPrevious
	if size == 0 && len(page.Rows) > 0 {
		c.PageInfo.HasNextPage = page.HasNext || !q.Backward // the row is after the page, or before it
		c.PageInfo.HasPreviousPage = page.HasPrevious || q.Backward
		return c, nil
	}
	if c.Incomplete = page.Position != nil; page.Stopped {
		session(ctx).stopped.Add(1)
	}
	for i := range page.Rows {
		row := &page.Rows[i]
		cursor, err := row.Cursor()
		if err != nil {
			return nil, err
		}
		edge := &model.ParticipationEdge{Cursor: cursor.String() + mark,
			Node: &model.Issue{Issue: row.Issue, Definition: row.Definition, Loaders: l}}
		for _, w := range row.Ways {
			edge.Ways = append(edge.Ways, model.NewParticipation(t, l, w.Participant, w.Role))
		}
		c.Edges, c.Nodes = append(c.Edges, edge), append(c.Nodes, edge.Node)
	}
	want.prefetch(ctx, l, c)
	if n := len(c.Edges); n > 0 {
		c.PageInfo.StartCursor, c.PageInfo.EndCursor = &c.Edges[0].Cursor, &c.Edges[n-1].Cursor
	}
	if page.Position != nil {
		at := page.Position.String() + mark
		if q.Backward {
			c.PageInfo.StartCursor = &at
		} else {
			c.PageInfo.EndCursor = &at
		}
	}
	return c, nil
}

// participationRequest converts the arguments of a list. It reports all invalid ones. It also returns what
// the cursors end in.
func (r *Resolver) participationRequest(ctx context.Context, t tracker.TenantID,
	participants []tracker.Participant, a participationArgs) (participation.Request, string, error) {
	s := session(ctx)
	w, badZone := newWalk(s, model.Or(a.timeZone, "UTC"), &a.after, &a.before)
	paging, invalid := parsePaging(a.first, a.after, a.last, a.before, estimate.MaxListPage)
	ways, badRoles := a.ways(participants)
	q := participation.Request{Ways: grid.Ways{Ways: ways, Size: paging.size, Backward: paging.backward,
		Descending: model.Is(a.order().Direction, model.OrderDirectionDesc), Budget: r.pageBudget}}
	wrong := []error{badZone, invalid, badRoles}
	any := grid.Ways{Ways: []columns.Way{{By: a.column()}},
		Descending: q.Descending} // there may be no ways
	order := any.Order()
	for argument, c := range map[string]struct {
		given *string
		to    *grid.Cursor
	}{"after": {a.after, &q.After}, "before": {a.before, &q.Before}} {
		if c.given != nil {
			var err error
			*c.to, err = grid.ParseCursor(*c.given, order)
			wrong = append(wrong, tracker.At(argument, err))
		}
	}
	var err error
	all := &tracker.Definition{Project: tracker.Project{Tenant: t}} // the filter is on no project's columns
	q.Where, err = parseFilter(ctx, all, w, a.issueFilter())
	return q, w.mark(), tracker.Join(append(wrong, tracker.At("where", err))...)
}

// participationSelection describes the selection below a list of issues of several projects.
type participationSelection struct {
	*selected
	issues []graphql.CollectedField // lists of issues, and issues of edges
	ways   bool
}

// participationSelectionOf inspects the fields below the list that is being resolved.
func participationSelectionOf(ctx context.Context) participationSelection {
	s := participationSelection{selected: newSelected(ctx, &tracker.Definition{})}
	for _, f := range s.below(graphql.GetFieldContext(ctx).Field, "ParticipationConnection") {
		switch f.Name {
		case "edges":
			s.rows = true
			for _, e := range s.below(f, "ParticipationEdge") {
				if e.Name == "node" {
					s.issues = append(s.issues, e)
				}
				s.ways = s.ways || e.Name == "ways"
			}
		case "nodes":
			s.rows = true
			s.issues = append(s.issues, f)
		case "pageInfo":
			s.rows = true
			s.pageInfo(f)
		case "incomplete":
			s.rows = true
		}
	}
	for _, f := range s.issues {
		s.issue(f)
	}
	return s
}

// prefetch starts to read what is selected of issues and is not in their documents.
func (s participationSelection) prefetch(ctx context.Context, l model.Reads,
	c *model.ParticipationConnection) {
	var texts []tracker.LongRef
	for _, i := range c.Nodes {
		if hasLong(i.Issue) {
			of := newSelected(ctx, i.Definition)
			for _, f := range s.issues {
				of.issue(f)
			}
			texts = appendLong(texts, i.Issue, of.columns())
		}
	}
	if len(texts) > 0 {
		l.Prefetch(ctx, texts)
	}
	s.prefetchRelated(ctx, l, c.Nodes)
	if s.ways {
		var all []tracker.Participant
		for _, e := range c.Edges {
			for _, w := range e.Ways {
				all = append(all, w.Of)
			}
		}
		l.People().Prefetch(ctx, all)
	}
}

// participantParser converts the ids of users and teams in an input.
type participantParser struct {
	tenant tracker.TenantID
	reads  model.Reads
}

func newParticipantParser(ctx context.Context, t tracker.TenantID) (participantParser, error) {
	l, err := session(ctx).Reads.Tenant(t)
	return participantParser{t, l}, err
}

// participant converts an id. The participant of an id of another tenant does not exist.
func (p participantParser) participant(ctx context.Context, id string) (tracker.Participant, bool) {
	n, ok := model.ParseNodeID(id)
	if _, is := n.Participant(); !ok || !is {
		return "", false
	}
	n, err := parseID(ctx, id, func(string) (model.NodeID, error) { return n, nil })
	if err != nil || n.Tenant != p.tenant {
		return "", false
	}
	return n.Participant()
}

// parse converts the ids of active users and teams of the tenant.
func (p participantParser) parse(ctx context.Context, path string, ids []string) ([]tracker.Participant,
	error) {
	return p.ids(ctx, &givenIDs{path: path, ids: ids, teams: true}, true)
}

// ids converts a list of ids of users and teams of the tenant, which must be active or not. It returns each
// once.
func (p participantParser) ids(ctx context.Context, list *givenIDs, active bool) (
	[]tracker.Participant, error) {
	ids, what := list.ids, "user or team"
	if !list.teams {
		what = "user"
	}
	if n := len(ids); n > tracker.MaxParticipants {
		return nil, tracker.Bad(list.path, "%d users and teams; the limit is %d", n, tracker.MaxParticipants)
	}
	out := make([]tracker.Participant, 0, len(ids))
	var at []int // the indexes in ids
	var wrong []error
	none := func(i int) {
		wrong = append(wrong, tracker.Bad(list.at(i), "the tenant has no such %s", what))
	}
	for i, id := range ids {
		if one, ok := p.participant(ctx, id); ok {
			out, at = append(out, one), append(at, i)
		} else {
			none(i)
		}
	}
	if len(out) > 0 {
		users, teams, err := p.reads.People().Participants(ctx, out)
		if err != nil {
			return nil, err
		}
		for n, i := range at {
			switch u, t := users[n], teams[n]; {
			case u == nil && (t == nil || !list.teams):
				none(i)
			case !active:
			case u != nil && !u.Active():
				wrong = append(wrong, tracker.Bad(list.at(i), "the user %q is deactivated", u.Name))
			case t != nil && !t.Active():
				wrong = append(wrong, tracker.Bad(list.at(i), "the team %q is deactivated", t.Name))
			}
		}
	}
	if err := tracker.Join(wrong...); err != nil {
		return nil, err
	}
	return tracker.ParticipantChange{Add: out}.Apply(nil)
}

// change converts a change of participants, of which path is the input.
func (p participantParser) change(ctx context.Context, path string, in *model.ParticipantsChangeInput) (
	tracker.ParticipantChange, error) {
	c := tracker.ParticipantChange{Path: path + ".addIds"}
	if in == nil {
		return c, nil
	}
	var badAdd, badRemove error
	c.Add, badAdd = p.parse(ctx, path+".addIds", in.AddIds)
	removed := &givenIDs{path: path + ".removeIds", ids: in.RemoveIds, teams: true}
	c.Remove, badRemove = p.ids(ctx, removed, false)
	return c, tracker.Join(badAdd, badRemove)
}

// prefetch starts to read the participants of several inputs, so that they share their calls.
func (w *issueWriter) prefetch(ctx context.Context, lists ...[]string) {
	if p, err := newParticipantParser(ctx, w.node.Tenant); err == nil { // else parse returns the error
		p.prefetch(ctx, lists...)
	}
}

// prefetch starts to read the participants in several lists of ids. ids returns the errors of the reads.
func (p participantParser) prefetch(ctx context.Context, lists ...[]string) {
	var all []tracker.Participant
	for _, ids := range lists {
		for _, id := range ids[:min(len(ids), tracker.MaxParticipants)] {
			if one, ok := p.participant(ctx, id); ok {
				all = append(all, one)
			}
		}
	}
	if len(all) > 0 {
		p.reads.People().Prefetch(ctx, all)
	}
}

// userIn returns the id of a user in the value of a field, if the field takes one.
func userIn(d *tracker.Definition, field string, in *model.ValueInput) []string {
	if in == nil || in.UserID == nil {
		return nil
	}
	if f, err := model.FieldOf(d, field); err != nil || f.Type != tracker.TypeUser {
		return nil
	}
	return []string{*in.UserID}
}

// added returns the ids to add in a change.
func added(c *model.ParticipantsChangeInput) []string {
	if c == nil {
		return nil
	}
	return c.AddIds
}
