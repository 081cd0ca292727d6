package graph

import (
	"context"

	"issuegrid/graph/model"
	"issuegrid/grid/filter"
	"issuegrid/tracker"
)

// user returns the filter member name, which compares users: by the names in the column c, or by their ids.
// is returns the condition that an issue refers to a user, and me that it refers to the caller. nameOnly is
// the condition that it has only a name, which implies that it has one, as the index can tell.
func (p *filterParser) user(name string, c tracker.Column, in *model.UserFilter,
	is func(tracker.UserID) (filter.Condition, error), me func() (filter.Condition, error),
	nameOnly filter.Condition) filterMember {
	if in == nil {
		return filterMember{}
	}
	one := func(id string) (filter.Condition, error) {
		user, err := p.userID(id)
		if err != nil {
			return nil, err
		}
		return is(user)
	}
	some := func(ids []string) (filter.Condition, error) {
		all, err := each(p, ids, one)
		return filter.Or(all), err
	}
	named := equalities(p, c, &in.Compared, p.operands.Text)
	identified := []filterMember{
		{"", in.EqID != nil, 1, func() (filter.Condition, error) { return one(*in.EqID) }},
		{"", in.NeqID != nil, 1, func() (filter.Condition, error) { return negated(one(*in.NeqID)) }},
		{"", in.InIds != nil, countOf(in.InIds), func() (filter.Condition, error) { return some(in.InIds) }},
		{"", in.NotInIds != nil, countOf(in.NotInIds), func() (filter.Condition, error) {
			return negated(some(in.NotInIds))
		}},
	}
	ids := eitherOf(named, identified, "eqId", "neqId", "inIds", "notInIds")[len(named):]
	return p.text(name, c, &in.TextFilter, append(ids, filterMember{"isMe", in.IsMe != nil, 1,
		func() (filter.Condition, error) {
			condition, err := me()
			if err == nil && !*in.IsMe {
				condition = filter.Negate(condition)
			}
			return condition, err
		}}, filterMember{"isNameOnly", in.IsNameOnly != nil, 1, func() (filter.Condition, error) {
		if !*in.IsNameOnly {
			return filter.Negate(nameOnly), nil
		}
		return nameOnly, nil
	}})...)
}

func negated(c filter.Condition, err error) (filter.Condition, error) {
	if err != nil {
		return nil, err
	}
	return filter.Negate(c), nil
}

// userField returns the filter member name, which compares the users of a field.
func (p *filterParser) userField(name string, f *tracker.Field, in *model.UserFilter) filterMember {
	c := f.ID.Column()
	refers := func(id tracker.UserID) (filter.Condition, error) { return p.refers(c, id) }
	return p.user(name, c, in, refers, func() (filter.Condition, error) {
		var me filter.Or
		if id := p.walk.caller.UserIn(p.definition.Project.Tenant); id != "" {
			by, err := refers(id)
			if err != nil {
				return nil, err
			}
			me = append(me, by)
		}
		named, err := p.isCallersName(c)
		return append(me, filter.And{filter.Refers{Column: c}, named}), err
	}, filter.And{filter.Refers{Column: c}, filter.In{Column: c, Values: filter.Any()}})
}

// userColumn returns the filter member name, which compares the users of a built-in column. names is the
// column of their names in tokens, and users that of the users.
func (p *filterParser) userColumn(name string, names, users tracker.Column,
	in *model.UserFilter) filterMember {
	return p.user(name, names, in, func(id tracker.UserID) (filter.Condition, error) {
		return filter.Has{Column: users, Member: string(tracker.UserParticipant(id))}, nil
	}, func() (filter.Condition, error) { return p.isCallersName(names) },
		filter.And{filter.Refers{Column: names}, filter.In{Column: names, Values: filter.Any()}})
}

// isCallersName returns the condition that the name in a column is that in the token of the caller.
func (p *filterParser) isCallersName(c tracker.Column) (filter.Condition, error) {
	if p.walk.caller.User == "" {
		return filter.In{Column: c, Values: filter.OneOf()}, nil
	}
	v, err := p.operands.Text(p.walk.caller.User)
	return filter.In{Column: c, Values: filter.Equal(v)}, err
}

// refers returns the condition that a value refers to a user. The names that the user has had are implied:
// they are what the index has of the values. If not all of them are known, the index cannot answer the
// condition.
func (p *filterParser) refers(c tracker.Column, id tracker.UserID) (filter.Condition, error) {
	u := p.users[id]
	if u == nil {
		return filter.Or{}, nil // no issue
	}
	names, all := u.Names()
	is := filter.Refers{Column: c, User: id}
	operands, err := each(p, names, p.operands.Text)
	if !all || err != nil && !p.stopped() { // or a name is too long for an operand
		return is, nil
	}
	return filter.And{is, filter.In{Column: c, Values: filter.OneOf(operands...)}}, err
}

// participants returns the filter member name, which tests the users and teams of a column.
func (p *filterParser) participants(name string, c tracker.Column,
	in *model.ParticipantSetFilter) filterMember {
	return filterMember{name, in != nil, 0, func() (filter.Condition, error) {
		members := p.members(model.TagSetFilter{HasAny: in.HasAnyIds, HasAll: in.HasAllIds,
			HasNone: in.HasNoneIds}, func(id string) (filter.Condition, error) {
			one, err := p.participant(id)
			return filter.Has{Column: c, Member: string(one)}, err
		})
		for i := range members {
			members[i].name += "Ids"
		}
		me := filterMember{"hasMe", in.HasMe != nil, 1, func() (filter.Condition, error) {
			var has filter.Condition = filter.Or{} // no issue
			if id := p.walk.caller.UserIn(p.definition.Project.Tenant); id != "" {
				has = filter.Has{Column: c, Member: string(tracker.UserParticipant(id))}
			}
			if !*in.HasMe {
				has = filter.Negate(has)
			}
			return has, nil
		}}
		return p.comparison(append(members, me, isNull(c, in.IsNull))...)
	}}
}

// peopleOf is what a filter has of users and teams.
type peopleOf struct {
	lists []givenIDs
	me    bool // a USER field is compared with the caller
}

// givenIDs are ids in an input, and their path. at returns the path of one of them.
type givenIDs struct {
	path  string
	ids   []string
	teams bool // they may be those of teams
	one   bool // the input is one id, not a list
	field bool // of the users in a USER field
}

func (g *givenIDs) at(i int) string {
	if g.one {
		return g.path
	}
	return g.path + index(i)
}

// add adds the ids in a filter with a path that is nested in depth others. It leaves out what is nested too
// deep, which is an error of the filter.
func (o *peopleOf) add(path string, in *model.IssueFilter, depth int) {
	if in == nil || depth > filter.MaxDepth {
		return
	}
	for i, one := range in.And {
		o.add(path+".and"+index(i), one, depth+1)
	}
	for i, one := range in.Or {
		o.add(path+".or"+index(i), one, depth+1)
	}
	o.add(path+".not", in.Not, depth+1)
	o.set(path+".assignees", in.Assignees)
	o.set(path+".watchers", in.Watchers)
	o.user(path+".createdBy", in.CreatedBy, false)
	o.user(path+".updatedBy", in.UpdatedBy, false)
	for i, f := range in.Fields {
		if f != nil && f.User != nil {
			o.user(path+".fields"+index(i)+".user", f.User, true)
			o.me = o.me || f.User.IsMe != nil
		}
	}
}

func (o *peopleOf) set(path string, in *model.ParticipantSetFilter) {
	if in != nil {
		o.lists = append(o.lists, givenIDs{path: path + ".hasAnyIds", ids: in.HasAnyIds, teams: true},
			givenIDs{path: path + ".hasAllIds", ids: in.HasAllIds, teams: true},
			givenIDs{path: path + ".hasNoneIds", ids: in.HasNoneIds, teams: true})
	}
}

func (o *peopleOf) user(path string, in *model.UserFilter, field bool) {
	if in == nil {
		return
	}
	one := func(path string, id *string) {
		if id != nil {
			o.lists = append(o.lists, givenIDs{path: path, ids: []string{*id}, one: true, field: field})
		}
	}
	one(path+".eqId", in.EqID)
	one(path+".neqId", in.NeqID)
	o.lists = append(o.lists, givenIDs{path: path + ".inIds", ids: in.InIds, field: field},
		givenIDs{path: path + ".notInIds", ids: in.NotInIds, field: field})
}

// checkFilter returns an error for each id in a filter, of which path is the input, that is not that of a
// user or a team of the tenant.
func (p participantParser) checkFilter(ctx context.Context, path string, in *model.IssueFilter) error {
	var all peopleOf
	all.add(path, in, 0)
	lists := make([][]string, len(all.lists))
	for i := range all.lists {
		lists[i] = all.lists[i].ids
	}
	p.prefetch(ctx, lists...)
	wrong := make([]error, len(lists))
	for i := range all.lists {
		_, wrong[i] = p.ids(ctx, &all.lists[i], false)
	}
	return tracker.Join(wrong...)
}

// usersOf reads the users to which filters compare the values of USER fields. The result has none for those
// that do not exist.
func usersOf(ctx context.Context, t tracker.TenantID, filters []*model.IssueFilter) (
	map[tracker.UserID]*tracker.User, error) {
	var all peopleOf
	for _, in := range filters {
		all.add("", in, 0)
	}
	if len(all.lists) == 0 && !all.me {
		return nil, nil // as of most filters
	}
	parser, err := newParticipantParser(ctx, t)
	if err != nil {
		return nil, err
	}
	var ids []tracker.UserID
	if me := session(ctx).Principal.UserIn(t); me != "" && all.me {
		ids = append(ids, me)
	}
	for _, list := range all.lists {
		for _, id := range list.ids {
			if !list.field || len(ids) == filter.MaxTerms {
				break
			}
			one, _ := parser.participant(ctx, id)
			if user, ok := one.User(); ok {
				ids = append(ids, user)
			}
		}
	}
	if len(ids) == 0 {
		return nil, nil
	}
	found, err := parser.reads.People().Users(ctx, ids)
	out := make(map[tracker.UserID]*tracker.User, len(found))
	for _, u := range found {
		if u != nil {
			out[u.ID] = u
		}
	}
	return out, err
}
