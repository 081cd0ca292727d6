package grid_test

import (
	"cmp"
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"time"

	"issuegrid/grid"
	"issuegrid/internal/account"
	"issuegrid/internal/columns"
	"issuegrid/internal/sortkey"
	"issuegrid/tracker"
)

// world is a project with issues of every kind of value, as documents and as the index entries of the table.
type world struct {
	*store
	random     *rand.Rand
	definition *tracker.Definition
	issues     []*tracker.Issue // with all long texts, in the order of the numbers
	nextNum    int64
	ghosts     int  // deleted issues that are still in the index
	varied     bool // most issues have different integers
	// distinct has the numbers of different values of columns; nil if all have few.
	distinct map[tracker.Column]int
	version  int // changes with every issue
}

// The fields of a world. They have few different values, so that filters match some issues.
const (
	fText    = tracker.FieldID("ftext")
	fLong    = tracker.FieldID("flong")
	fInt     = tracker.FieldID("fint")
	fNumber  = tracker.FieldID("fnumber")
	fDate    = tracker.FieldID("fdate")
	fInstant = tracker.FieldID("finstant")
	fBool    = tracker.FieldID("fbool")
	fSelect  = tracker.FieldID("fselect")
	fMulti   = tracker.FieldID("fmulti")
	fTags    = tracker.FieldID("ftags")
	fUser    = tracker.FieldID("fuser")
)

var (
	options = []tracker.Option{{ID: "red", Name: "Red"}, {ID: "green", Name: "Green"},
		{ID: "blue", Name: "Blue"}}
	worldTexts = []string{"a", "Ä", "ab", "abc", "Bridge", "bridge over", "\xffnull", "z\x00z",
		strings.Repeat("long ", 80) + "end", strings.Repeat("lång ", 300)}
	worldTags = []string{"Urgent", "urgent", "later", "ünder", "u", "u\U0010ffff", "ur.gent/x~1", "v", "br",
		"d\ud7ff", "\U0010ffff"}
	worldParticipants = []tracker.Participant{"uann", "ubob", "tops"}
	worldUsers        = []tracker.UserID{"ann", "bob"}
	days              = []string{"2023-01-01", "2023-05-02", "2024-02-29"}
	// instants are about midnight, and when clocks change in the time zones of periods.
	instants = []string{"2023-01-01T00:00:00Z", "2023-05-02T00:00:00Z", "2024-02-29T00:00:00Z",
		"2022-12-31T22:59:59Z", "2022-12-31T23:00:00Z", "2023-03-12T06:59:59Z", "2023-03-12T07:00:00Z",
		"2023-03-25T23:00:00Z", "2023-03-26T01:00:00Z", "2023-03-26T21:59:59Z", "2023-03-26T22:00:00Z",
		"2023-10-29T00:30:00Z", "2023-10-29T01:30:00Z", "2023-10-29T22:59:59Z", "2023-10-29T23:00:00Z"}
)

func newWorld(seed uint64, most int) *world {
	w := &world{store: newStore(), random: rand.New(rand.NewPCG(seed, 7))}
	w.definition = tracker.NewDefinition(tracker.Project{ID: project,
		States: []tracker.State{{ID: "open", Name: "open", Open: true},
			{ID: "doing", Name: "doing", Open: true}, {ID: "closed", Name: "closed"}}},
		[]*tracker.Field{{ID: fText, Name: "Text", Type: tracker.TypeText},
			{ID: fLong, Name: "Long", Type: tracker.TypeLongText},
			{ID: fInt, Name: "Int", Type: tracker.TypeInteger},
			{ID: fNumber, Name: "Number", Type: tracker.TypeNumber},
			{ID: fDate, Name: "Date", Type: tracker.TypeDate},
			{ID: fInstant, Name: "Instant", Type: tracker.TypeDateTime},
			{ID: fBool, Name: "Bool", Type: tracker.TypeBoolean},
			{ID: fSelect, Name: "Select", Type: tracker.TypeSelect, Options: options},
			{ID: fMulti, Name: "Multi", Type: tracker.TypeMultiSelect, Options: options},
			{ID: fTags, Name: "Tags", Type: tracker.TypeTags},
			{ID: fUser, Name: "User", Type: tracker.TypeUser}})
	if w.random.IntN(2) == 0 {
		w.indexEmpties()
	}
	w.megabyte = []int{0, 3, 10}[w.random.IntN(3)]
	w.varied = w.random.IntN(3) == 0
	number := w.random.IntN(most)
	if most > manyIssues {
		number = most
		w.megabyte = []int{0, 1000, 9000}[w.random.IntN(3)]
		w.drawDistinct()
	}
	w.loading = true
	for range number {
		w.insert()
	}
	w.loaded()
	return w
}

// A world of more than manyIssues has from one to as many different values in each column, and a world of
// fewer has few.
const manyIssues = 1000

// allDistinct is the number of different values of a column in which all issues have different ones.
const allDistinct = 1_000_003

// drawDistinct draws the numbers of different values. In at least two columns, all issues have different
// ones, in one of these each issue has one, and in at least one column, all have the same.
func (w *world) drawDistinct() {
	columns := []tracker.Column{tracker.ColumnName, tracker.ColumnCreated, tracker.ColumnUpdated,
		tracker.ColumnCreatedBy, tracker.ColumnUpdatedBy, fText.Column(), fInt.Column(), fNumber.Column(),
		fDate.Column(), fInstant.Column(), fUser.Column()}
	w.random.Shuffle(len(columns), func(a, b int) { columns[a], columns[b] = columns[b], columns[a] })
	w.distinct = map[tracker.Column]int{}
	for n, c := range columns {
		w.distinct[c] = []int{allDistinct, 1, 3, 40, 500, 5000}[n%6]
	}
	w.distinct[pickOne(w.random, []tracker.Column{tracker.ColumnName, tracker.ColumnCreated})] = allDistinct
}

// nth draws the position of a value among the different ones of a column, for the issue with a number.
func (w *world) nth(c tracker.Column, num int64) int {
	if n := w.distinct[c]; n < allDistinct {
		return w.random.IntN(n)
	}
	return int(num * 7919 % allDistinct) // which is prime
}

// epoch is the first time of columns with many.
var epoch = time.Date(1990, 1, 1, 0, 0, 0, 0, time.UTC)

// nthTime returns one of many times, most of which are on different days.
func (w *world) nthTime(c tracker.Column, num int64) time.Time {
	return epoch.Add(time.Duration(w.nth(c, num)) * 61 * time.Minute)
}

// nthText returns one of many texts, with a random case.
func (w *world) nthText(c tracker.Column, num int64) string {
	n := w.nth(c, num)
	text := fmt.Sprint(worldTexts[n%6], " ", n)
	if w.random.IntN(2) == 0 {
		return strings.ToUpper(text)
	}
	return text
}

// indexEmpties gives some columns entries of their empty values, or the intention to have them.
func (w *world) indexEmpties() {
	methods := []tracker.Empties{tracker.EmptiesFiltered, tracker.EmptiesBuilding, tracker.EmptiesIndexed,
		tracker.EmptiesLeaving, tracker.EmptiesRemoving}
	w.definition.Project.Empties = pickOne(w.random, methods)
	for _, f := range w.definition.Fields {
		f.Empties = pickOne(w.random, methods)
	}
}

// split gives the project a number of shards.
func (w *world) split(shards int, tight bool) {
	w.shards, w.definition.Project.Shards, w.tight = shards, shards, tight
}

func pickOne[T any](r *rand.Rand, of []T) T { return of[r.IntN(len(of))] }

// insert adds an issue with a new highest number.
func (w *world) insert() {
	w.nextNum += 1 + int64(w.random.IntN(2)*w.random.IntN(30))
	i := w.draw(w.nextNum)
	w.issues = append(w.issues, i)
	w.index(i, true)
	w.definition.MaxIssueNum = w.nextNum
}

// draw returns an issue with random values.
func (w *world) draw(num int64) *tracker.Issue {
	r := w.random
	i := &tracker.Issue{ID: issueID(project, num), Num: num, Name: pickOne(r, worldTexts[:6]),
		State:   pickOne(r, w.definition.Project.States).ID,
		Created: time.Date(2023, 1, 1+r.IntN(3), 0, 0, 0, 0, time.UTC),
		Updated: time.Date(2023, 2, 1+r.IntN(3), 0, 0, 0, 0, time.UTC),
		Values:  map[tracker.FieldID]tracker.Value{}}
	for _, by := range []*string{&i.CreatedBy, &i.UpdatedBy} {
		if r.IntN(3) > 0 {
			*by = pickOne(r, worldTexts[:6])
		}
	}
	if w.distinct != nil {
		i.Name = w.nthText(tracker.ColumnName, num)
		i.Created, i.Updated = w.nthTime(tracker.ColumnCreated, num), w.nthTime(tracker.ColumnUpdated, num)
		if i.CreatedBy != "" {
			i.CreatedBy = w.nthText(tracker.ColumnCreatedBy, num)
		}
		if i.UpdatedBy != "" {
			i.UpdatedBy = w.nthText(tracker.ColumnUpdatedBy, num)
		}
	}
	if r.IntN(3) > 0 {
		i.Description = tracker.Text(pickOne(r, worldTexts))
	}
	i.Assignees, i.Watchers = w.participants(), w.participants()
	for _, by := range []*tracker.UserID{&i.Author, &i.Editor} {
		if r.IntN(2) == 0 {
			*by = pickOne(r, worldUsers)
		}
	}
	for _, f := range w.definition.Fields {
		v := w.value(f)
		if w.distinct[f.ID.Column()] > 0 {
			v = w.oneOfMany(f, num)
		}
		if r.IntN(3) > 0 && v.Kind != tracker.KindNone {
			i.Values[f.ID] = v
		}
	}
	return i
}

// participants draws the participants of an issue in a role.
func (w *world) participants() (out []tracker.Participant) {
	for _, p := range worldParticipants {
		if w.random.IntN(4) == 0 {
			out = append(out, p)
		}
	}
	return out
}

// oneOfMany draws one of many values of a field, for the issue with a number.
func (w *world) oneOfMany(f *tracker.Field, num int64) tracker.Value {
	switch c := f.ID.Column(); f.Type {
	case tracker.TypeInteger:
		return tracker.Int(7 * int64(w.nth(c, num)-allDistinct/2))
	case tracker.TypeNumber:
		return tracker.Float(float64(w.nth(c, num))/8 - 1000)
	case tracker.TypeDate:
		return tracker.Text(epoch.AddDate(0, 0, w.nth(c, num)).Format(time.DateOnly))
	case tracker.TypeDateTime:
		return tracker.Text(w.nthTime(c, num).Format(time.RFC3339))
	default:
		return tracker.Text(w.nthText(c, num))
	}
}

// disturb inserts an issue, removes one, and gives one other values, which moves it in most orders.
func (w *world) disturb() {
	w.insert()
	w.remove()
	if len(w.issues) == 0 {
		return
	}
	n := w.random.IntN(len(w.issues))
	w.index(w.issues[n], false)
	w.issues[n] = w.draw(w.issues[n].Num)
	w.index(w.issues[n], true)
}

// sometimes reports whether to disturb the world after a page: seldom if that costs the oracle much.
func (w *world) sometimes() bool { return w.random.IntN(5+len(w.issues)/5000) == 0 }

// remove deletes a random issue, with its index entries or, as after a crash, without.
func (w *world) remove() {
	if len(w.issues) == 0 {
		return
	}
	w.version++
	n := w.random.IntN(len(w.issues))
	i := w.issues[n]
	w.issues = slices.Delete(w.issues, n, n+1)
	if w.random.IntN(3) > 0 {
		w.index(i, false)
	} else {
		w.ghosts++
	}
	delete(w.docs, i.ID)
}

func (w *world) anInt() any {
	if w.varied {
		return int64(w.random.IntN(1000) - 500)
	}
	return pickOne(w.random, ints)
}

func (w *world) value(f *tracker.Field) tracker.Value {
	r := w.random
	switch f.Type {
	case tracker.TypeText, tracker.TypeLongText:
		return tracker.Text(pickOne(r, worldTexts))
	case tracker.TypeUser:
		name := pickOne(r, worldTexts[:6])
		if r.IntN(2) == 0 {
			return tracker.UserValue(name, pickOne(r, worldUsers)) // which have had all of the names
		}
		return tracker.Text(name)
	case tracker.TypeInteger:
		return tracker.Int(w.anInt().(int64))
	case tracker.TypeNumber:
		return tracker.Float(pickOne(r, floats).(float64))
	case tracker.TypeDate:
		return tracker.Text(pickOne(r, days))
	case tracker.TypeDateTime:
		return tracker.Text(pickOne(r, instants))
	case tracker.TypeBoolean:
		return tracker.Bool(r.IntN(2) == 0)
	case tracker.TypeSelect:
		return tracker.Text(string(pickOne(r, options).ID))
	case tracker.TypeMultiSelect:
		var set []string
		for _, o := range options {
			if r.IntN(2) == 0 {
				set = append(set, string(o.ID))
			}
		}
		return tracker.Set(set)
	}
	var set []string
	for _, tag := range worldTags {
		if r.IntN(6) == 0 {
			set = append(set, tag)
		}
	}
	return tracker.Set(set)
}

// index puts or removes the document and the index entries of an issue.
func (w *world) index(i *tracker.Issue, put bool) {
	w.version++
	set := func(column tracker.Column, member string, ss []byte, has []tracker.Column) {
		p := partition{project: project, column: column, member: member}
		if put {
			w.put(p, entry{id: i.ID, ss: ss, has: has})
		} else {
			w.store.remove(p, ss)
		}
	}
	stored := *i
	stored.Values = map[tracker.FieldID]tracker.Value{}
	stored.Description = short(i.Description)
	var has []tracker.Column
	for _, f := range w.definition.Fields {
		v, ok := i.Values[f.ID]
		if !ok {
			continue
		}
		has = append(has, f.ID.Column())
		stored.Values[f.ID] = v
		switch {
		case f.Type == tracker.TypeMultiSelect || f.Type == tracker.TypeTags:
			for _, m := range v.Set() {
				if f.Type == tracker.TypeTags {
					m = columns.FoldTag(m)
					w.tags[m] = true
				}
				set(f.ID.Column(), m, sortkey.Num(i.Num), nil)
			}
		case f.Type == tracker.TypeText || f.Type == tracker.TypeLongText:
			stored.Values[f.ID] = short(v)
			if f.Type == tracker.TypeText {
				set(f.ID.Column(), "", sortkey.Join(sortkey.Text(v.Text()), i.Num), nil)
			}
		default:
			set(f.ID.Column(), "", sortkey.Join(columns.SortValue(f, v), i.Num), nil)
		}
	}
	for _, c := range []tracker.Column{tracker.ColumnName, tracker.ColumnState, tracker.ColumnCreated,
		tracker.ColumnUpdated} {
		set(c, "", sortkey.Join(columns.BuiltinValue(&w.definition.Project, i, c), i.Num), nil)
	}
	for _, c := range []tracker.Column{tracker.ColumnCreatedBy, tracker.ColumnUpdatedBy} {
		if v := i.Value(c); v.Kind != tracker.KindNone {
			set(c, "", sortkey.Join(sortkey.Text(v.Text()), i.Num), nil)
			has = append(has, c)
		}
	}
	for _, c := range []tracker.Column{tracker.ColumnAssignees, tracker.ColumnWatchers,
		tracker.ColumnAuthor} {
		role, _ := c.Role()
		for _, p := range i.Participants(role) {
			state, _ := w.definition.Project.State(i.State)
			at := partition{project: project, way: columns.Way{Participant: p, Role: role,
				Closed: !state.Open, By: tracker.ColumnNum}}
			if put {
				w.put(at, entry{id: i.ID, ss: sortkey.Num(i.Num)})
			} else {
				w.store.remove(at, sortkey.Num(i.Num))
			}
		}
		if role != tracker.RoleAuthor && len(i.Participants(role)) > 0 {
			has = append(has, c)
		}
	}
	nullable := []tracker.Column{tracker.ColumnCreatedBy, tracker.ColumnUpdatedBy}
	for _, f := range w.definition.Fields {
		nullable = append(nullable, f.ID.Column())
	}
	for _, c := range nullable {
		if i.Value(c).Text() != "" || i.Values[c.Field()].Kind != tracker.KindNone ||
			!w.definition.IndexesEmpties(c) {
			continue
		}
		p := partition{project: project, column: c, empties: true}
		if put {
			w.put(p, entry{id: i.ID, ss: sortkey.Num(i.Num)})
		} else {
			w.store.remove(p, sortkey.Num(i.Num))
		}
	}
	set(tracker.ColumnNum, "", sortkey.Num(i.Num), has)
	if put {
		w.docs[i.ID] = &stored
	}
}

// short returns a text as it is stored in the document.
func short(v tracker.Value) tracker.Value {
	if len(v.Text()) > tracker.MaxInlineText {
		return tracker.LongText(tracker.Long{Bytes: len(v.Text()), Parts: 1})
	}
	return v
}

// heldDocument is how many bytes of memory a page's account is charged for a document.
const heldDocument = 1000

// fetchHeld charges the documents to the account of the page.
func (w *world) fetchHeld(ctx context.Context, ids []tracker.IssueID) ([]*tracker.Issue, error) {
	if err := account.From(ctx).Hold(ctx, int64(heldDocument*len(ids))); err != nil {
		return nil, err
	}
	return w.fetch(ctx, ids)
}

func (w *world) source() grid.Source {
	return grid.Source{Index: grid.NewSharedIndex(w), Fetch: w.fetchHeld, Texts: w.texts}
}

// issue returns the issue with a number, or nil.
func (w *world) issue(num int64) *tracker.Issue {
	n, found := slices.BinarySearchFunc(w.issues, num, func(i *tracker.Issue, num int64) int {
		return cmp.Compare(i.Num, num)
	})
	if !found {
		return nil
	}
	return w.issues[n]
}

// texts returns long texts.
func (w *world) texts(_ context.Context, refs []tracker.LongRef) ([]string, error) {
	out := make([]string, len(refs))
	for n, ref := range refs {
		num, _ := strconv.ParseInt(strings.TrimPrefix(ref.Issue.Issue, "i"), 10, 64)
		i := w.issue(num)
		if i == nil {
			continue
		}
		v := i.Values[ref.Column.Field()]
		if ref.Column == tracker.ColumnDescription {
			v = i.Description
		}
		out[n] = v.Text()
	}
	return out, nil
}
