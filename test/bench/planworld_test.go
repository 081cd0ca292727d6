package bench

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"strconv"
	"strings"
	"testing"
	"time"

	"issuegrid/dynamo"
	"issuegrid/grid/filter"
	"issuegrid/tracker"
)

// The project of BenchmarkPlans. All values except the closed state are drawn independently of each other and
// of the number, so that shares are the same everywhere. The update times increase with the numbers.
const (
	planIssues = 100_000
	planPage   = 100

	fVessel   = tracker.FieldID("vessel")   // 1 % each
	fTeam     = tracker.FieldID("team")     // 1 % each
	fPriority = tracker.FieldID("priority") // 40 %, 30 %, 15 %, 10 %, 5 %
	fArea     = tracker.FieldID("area")     // 5 % each
	fLabels   = tracker.FieldID("labels")   // six labels, 30 % each
	fDue      = tracker.FieldID("due")      // 30 % empty
	fIncident = tracker.FieldID("incident") // 1 % not empty
	// log-normal: half below 20, 0.6 % above 1000, the maximum about 20,000
	fHours = tracker.FieldID("hours")

	stateRare   = tracker.OptionID("blocked") // 0.5 %
	stateCommon = tracker.OptionID("closed")  // 60 %, nearly all of them old issues
)

var (
	planStates = []tracker.State{{ID: "open", Name: "open", Open: true},
		{ID: stateRare, Name: "blocked", Open: true}, {ID: stateCommon, Name: "closed"}}
	planFields = []*tracker.Field{
		{ID: fVessel, Name: "Vessel", Type: tracker.TypeText},
		{ID: fTeam, Name: "Team", Type: tracker.TypeUser},
		{ID: fPriority, Name: "Priority", Type: tracker.TypeSelect, Options: planOptions("p", 5)},
		{ID: fArea, Name: "Area", Type: tracker.TypeSelect, Options: planOptions("a", 20)},
		{ID: fLabels, Name: "Labels", Type: tracker.TypeMultiSelect, Options: planOptions("l", 6)},
		{ID: fDue, Name: "Due", Type: tracker.TypeDate},
		{ID: fIncident, Name: "Incident", Type: tracker.TypeText},
		{ID: fHours, Name: "Hours", Type: tracker.TypeInteger},
	}
	planStart = time.Date(2020, 1, 1, 0, 0, 0, 0, time.UTC)
)

// planSpan is the period in which the issues were created.
const planSpan = 1000 * 24 * time.Hour

func planOptions(prefix string, n int) []tracker.Option {
	out := make([]tracker.Option, n)
	for i := range out {
		out[i] = tracker.Option{ID: tracker.OptionID(prefix + strconv.Itoa(i)),
			Name: strings.ToUpper(prefix) + strconv.Itoa(i)}
	}
	return out
}

// planIssue draws the issue with the given number.
func planIssue(r *rand.Rand, num int) tracker.Issue {
	i := tracker.Issue{ID: tracker.IssueID{Project: project,
		Issue: tracker.IDFor("plans", strconv.Itoa(num))}, Num: int64(num),
		Name: fmt.Sprintf("Issue %d: replace the hinge", num), State: "open",
		Values:  map[tracker.FieldID]tracker.Value{},
		Created: planStart.Add(time.Duration(r.Int64N(int64(planSpan/time.Microsecond))) * time.Microsecond),
		Updated: planStart.Add(planSpan + time.Duration(num)*time.Minute)}
	if r.Float64() < 0.02 {
		i.Name += " of the bow ramp"
	}
	closed := 0.09
	if num <= planIssues*60/100 {
		closed = 0.94
	}
	switch chance := r.Float64(); {
	case chance < 0.005:
		i.State = stateRare
	case chance < 0.005+closed:
		i.State = stateCommon
	}
	i.Values[fVessel] = tracker.Text(fmt.Sprintf("Vessel %02d", r.IntN(100)))
	i.Values[fTeam] = tracker.Text(fmt.Sprintf("Team %02d", r.IntN(100)))
	priority, chance := 0, r.Float64()
	for _, upTo := range []float64{0.4, 0.7, 0.85, 0.95} {
		if chance >= upTo {
			priority++
		}
	}
	i.Values[fPriority] = tracker.Text("p" + strconv.Itoa(priority))
	i.Values[fArea] = tracker.Text("a" + strconv.Itoa(r.IntN(20)))
	var labels []string
	for n := range 6 {
		if r.Float64() < 0.3 {
			labels = append(labels, "l"+strconv.Itoa(n))
		}
	}
	if len(labels) > 0 {
		i.Values[fLabels] = tracker.Set(labels)
	}
	if r.Float64() >= 0.3 {
		i.Values[fDue] = tracker.Text(planStart.AddDate(0, 0, r.IntN(2000)).Format(time.DateOnly))
	}
	if r.Float64() < 0.01 {
		i.Values[fIncident] = tracker.Text(fmt.Sprintf("Incident %d", r.IntN(10_000)))
	}
	i.Values[fHours] = tracker.Int(int64(20 * math.Exp(1.55*r.NormFloat64())))
	return i
}

// fillPlans creates the project and returns its definition as readers get it.
func fillPlans(b *testing.B, db *dynamo.DB) *tracker.Definition {
	b.Helper()
	ctx := context.Background()
	t, err := db.Tenant(tenant)
	check(b, err)
	check(b, db.CreateTenant(ctx, tracker.Tenant{ID: tenant, Name: "Bench"}))
	_, err = t.CreateProject(ctx, tracker.Project{ID: project, Key: "B", Name: "Bench", States: planStates})
	check(b, err)
	for _, f := range planFields {
		_, err := t.CreateField(ctx, project, *f)
		check(b, err)
	}
	check(b, t.RaiseCounter(ctx, project, planIssues))
	d, err := t.Definition(ctx, project)
	check(b, err)
	if d.MaxIssueNum != planIssues {
		b.Fatalf("the definition has %d issues", d.MaxIssueNum)
	}
	r := rand.New(rand.NewPCG(1, 2))
	const chunk = 500
	for first := 1; first <= planIssues; first += chunk {
		issues := make([]tracker.Issue, chunk)
		for n := range issues {
			issues[n] = planIssue(r, first+n)
		}
		check(b, t.PutIssues(ctx, d, issues))
	}
	return d
}

// planQuery is a filtered grid with limits on the cost of a page; 0 means no limit.
type planQuery struct {
	name                   string
	where                  []filter.Condition
	by                     tracker.Column
	descending, nullsFirst bool
	// after is the value of the order column after which the page begins.
	after filter.Operand
	// The exact number of Query calls and of calls that read documents.
	exactQueries, exactBatches int
	// The number of queries, the number of calls of both kinds, and the RCU in addition to 0.5 per row must
	// be lower.
	queries, calls int
	rcu            float64
}

func planQueries(b *testing.B, d *tracker.Definition) []planQuery {
	must := func(o filter.Operand, err error) filter.Operand {
		b.Helper()
		check(b, err)
		return o
	}
	equal := func(c tracker.Column, o filter.Operand) filter.Condition {
		return filter.In{Column: c, Values: filter.Equal(o)}
	}
	state := func(id tracker.OptionID) filter.Condition {
		return equal(tracker.ColumnState, must(filter.State(&d.Project, id)))
	}
	var operands filter.Operands
	vessel := equal(fVessel.Column(), must(operands.Text("vessel 17")))
	team := equal(fTeam.Column(), must(operands.Text("team 42")))
	option := func(f tracker.FieldID, id string) filter.Operand {
		return must(filter.Value(d.Field(f), tracker.Text(id)))
	}
	areas := filter.In{Column: fArea.Column()}
	for _, id := range []string{"a2", "a5", "a9", "a14", "a18"} {
		areas.Values = areas.Values.Or(filter.Equal(option(fArea, id)))
	}
	at := func(share float64) filter.Operand {
		return must(filter.Time(tracker.FormatDateTime(
			planStart.Add(time.Duration(share * float64(planSpan))))))
	}
	hours := func(compare func(filter.Operand, bool) filter.Values, n int64) filter.Condition {
		return filter.In{Column: fHours.Column(),
			Values: compare(must(filter.Value(d.Field(fHours), tracker.Int(n))), false)}
	}
	ramp, err := operands.Contains(tracker.ColumnName, "bow ramp")
	check(b, err)
	const num, created = tracker.ColumnNum, tracker.ColumnCreated
	return []planQuery{
		{name: "state = rare (0.5 %), by num", where: []filter.Condition{state(stateRare)}, by: num,
			exactQueries: 1, exactBatches: 1},
		{name: "state = common (60 %, clustered), by num", where: []filter.Condition{state(stateCommon)},
			by: num, exactQueries: 1, exactBatches: 1},
		{name: "vessel = 1 %, by created", where: []filter.Condition{vessel}, by: created, calls: 12,
			rcu: 150},
		{name: "priority = 40 %, by created",
			where: []filter.Condition{equal(fPriority.Column(), option(fPriority, "p0"))}, by: created},
		{name: "vessel = 1 % and team = 1 %, by num", where: []filter.Condition{vessel, team}, by: num,
			queries: 10},
		{name: "vessel = 1 % and team = 1 %, by created", where: []filter.Condition{vessel, team},
			by: created, queries: 10},
		{name: "area in 5 of 5 % each, by num", where: []filter.Condition{areas}, by: num},
		{name: "labels have two of 30 % each, by num",
			where: []filter.Condition{filter.Has{Column: fLabels.Column(), Member: "l1"},
				filter.Has{Column: fLabels.Column(), Member: "l4"}}, by: num},
		{name: "name contains (2 %), by num", where: []filter.Condition{ramp}, by: num},
		{name: "created in the last 5 %, by priority",
			where: []filter.Condition{filter.In{Column: created, Values: filter.Greater(at(0.95), true)}},
			by:    fPriority.Column()},
		{name: "vessel = 1 %, by created, from the middle", where: []filter.Condition{vessel}, by: created,
			after: at(0.5), calls: 12, rcu: 150},
		{name: "vessel = 1 %, by due, 30 % without first", where: []filter.Condition{vessel},
			by: fDue.Column(), nullsFirst: true, calls: 12, rcu: 150},
		// unevenly distributed values
		{name: "incident is not empty (1 %), by created",
			where: []filter.Condition{filter.In{Column: fIncident.Column(), Values: filter.Any()}},
			by:    created},
		{name: "hours > 1000 (0.6 %, skewed), by created",
			where: []filter.Condition{hours(filter.Greater, 1000)}, by: created},
		{name: "hours > 300 (4 %, skewed), by created", where: []filter.Condition{hours(filter.Greater, 300)},
			by: created},
		{name: "hours < 20 (50 %, skewed), by created", where: []filter.Condition{hours(filter.Less, 20)},
			by: created},
		{name: "state = common (60 %, clustered), the last updated first",
			where: []filter.Condition{state(stateCommon)}, by: tracker.ColumnUpdated, descending: true},
		{name: "state = rare (0.5 %) and hours > 1000, by num",
			where: []filter.Condition{state(stateRare), hours(filter.Greater, 1000)}, by: num},
		{name: "priority = 40 %, by incident, which 1 % have",
			where: []filter.Condition{equal(fPriority.Column(), option(fPriority, "p0"))},
			by:    fIncident.Column()},
	}
}
