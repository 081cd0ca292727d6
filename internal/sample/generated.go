package sample

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"time"

	"issuegrid/tracker"
)

// generatedIssues is the number of issues in the generated project.
const generatedIssues = 2000

// Generated returns a project of 2,000 issues with every type of field, realistic values, ties and missing
// values.
func Generated() Project {
	p := Project{
		Tenant: tracker.Tenant{ID: "5f21", Name: "Northern Ferries"},
		Project: tracker.Project{ID: "c0de", Key: "FLEET", Name: "Fleet Maintenance", States: []tracker.State{
			{ID: "new", Name: "New", Open: true, Color: "#8b949e"},
			{ID: "planned", Name: "Planned", Open: true, Color: "#8250df"},
			{ID: "doing", Name: "In Progress", Open: true, Color: "#d4a72c"},
			{ID: "review", Name: "In Review", Open: true, Color: "#218bff"},
			{ID: "done", Name: "Done", Color: "#2da44e"},
			{ID: "wontdo", Name: "Won't Do", Color: "#8b949e"}}},
		Fields: []tracker.Field{
			{ID: "f01", Name: "Vessel", Type: tracker.TypeText, Description: "The ship that needs the work."},
			{ID: "f02", Name: "Report", Type: tracker.TypeLongText, Description: "What the crew saw."},
			{ID: "f03", Name: "Running Hours", Type: tracker.TypeInteger,
				Description: "Of the engine when it was reported."},
			{ID: "f04", Name: "Cost", Type: tracker.TypeNumber, Description: "Estimated, in EUR."},
			{ID: "f05", Name: "Due", Type: tracker.TypeDate},
			{ID: "f06", Name: "Inspected", Type: tracker.TypeDateTime,
				Description: "When somebody looked at it last."},
			{ID: "f07", Name: "Safety", Type: tracker.TypeBoolean,
				Description: "Whether safety is concerned."},
			{ID: "f08", Name: "Priority", Type: tracker.TypeSelect, Required: true, Options: []tracker.Option{
				{ID: "p1", Name: "Critical", Color: "#b3261e"}, {ID: "p2", Name: "High", Color: "#d9730d"},
				{ID: "p3", Name: "Medium", Color: "#c4a000"},
				{ID: "p4", Name: "Low", Color: "#1f883d"}}},
			{ID: "f09", Name: "Systems", Type: tracker.TypeMultiSelect, Options: []tracker.Option{
				{ID: "s1", Name: "Engine"}, {ID: "s2", Name: "Hull"}, {ID: "s3", Name: "Electric"},
				{ID: "s4", Name: "Navigation"},
				{ID: "s5", Name: "Galley"}, {ID: "s6", Name: "Ramp"}}},
			{ID: "f10", Name: "Tags", Type: tracker.TypeTags},
			{ID: "f11", Name: "Assignee", Type: tracker.TypeUser},
		},
	}
	for i := range p.Fields {
		p.Fields[i].Position = int64(i + 1)
	}
	r := rand.New(rand.NewPCG(20260101, 7)) // a fixed seed, so that the project is the same on every machine
	for num := int64(1); num <= generatedIssues; num++ {
		p.Issues = append(p.Issues, generate(r, &p.Project, num))
	}
	return p
}

var (
	verbs = []string{"Replace", "Check", "Repair", "Paint", "Grease", "Order", "Calibrate", "Clean", "Weld",
		"Survey"}
	things = []string{"bow ramp hinge", "radar mast", "lifeboat davit", "fuel filter", "ballast pump",
		"galley oven", "port shaft seal", "bridge windscreen", "fire damper", "mooring winch", "stern light",
		"gangway rail"}
	vessels = []string{"Aurora", "Björn", "Cormorant", "Édith", "Fulmar", "Guillemot", "Østersund", "Petrel"}
	people  = []string{"Ada Lindqvist", "Bram de Vries", "Chidi Okafor", "Dora Szabó", "Emre Yılmaz",
		"Freya Olsen", "Goro Tanaka", "Hana Nováková"}
	tags = []string{"spare-part", "dry-dock", "warranty", "noise", "leak", "rust", "winter",
		"class-survey", "Quick Win"}
	remarks = []string{"Seen again on the night crossing.", "No change after the last repair.",
		"The crew asks for a second opinion.", "Parts are on their way.",
		"Vibration above 900 rpm, none below.", "Paint is gone on both sides.",
		"Photographs are with the superintendent."}
)

func pick[T any](r *rand.Rand, from []T) T { return from[r.IntN(len(from))] }

// some returns 1 to most different members of from.
func some(r *rand.Rand, from []string, most int) []string {
	n := 1 + r.IntN(most)
	out := make([]string, n)
	for i, place := range r.Perm(len(from))[:n] {
		out[i] = from[place]
	}
	return out
}

func generate(r *rand.Rand, p *tracker.Project, num int64) tracker.Issue {
	// The order of creation mostly follows the numbers, with exceptions and ties.
	created := time.Date(2024, 1, 1, 6, 0, 0, 0, time.UTC).Add(time.Duration(num)*7*time.Hour +
		time.Duration(r.IntN(48)-24)*time.Hour)
	i := tracker.Issue{
		ID: tracker.IssueID{Project: p.ID,
			Issue: tracker.IDFor("sample", string(p.ID), fmt.Sprint(num))},
		Num:     num,
		Name:    fmt.Sprintf("%s the %s", pick(r, verbs), pick(r, things)),
		State:   p.States[min(r.IntN(9), len(p.States)-1)].ID,
		Created: created,
		Updated: created.Add(time.Duration(r.IntN(2000)) * time.Hour),
		Values: map[tracker.FieldID]tracker.Value{
			"f08": tracker.Text(pick(r, []string{"p1", "p2", "p3", "p3", "p4", "p4", "p4"}))},
	}
	maybe := func(percent int, f tracker.FieldID, value func() tracker.Value) {
		if r.IntN(100) < percent {
			i.Values[f] = value()
		}
	}
	maybe(95, "f01", func() tracker.Value { return tracker.Text(pick(r, vessels)) })
	maybe(60, "f02", func() tracker.Value { return tracker.Text(paragraphs(r)) })
	maybe(70, "f03", func() tracker.Value { return tracker.Int(int64(r.IntN(400)) * 25) })
	maybe(50, "f04", func() tracker.Value { return tracker.Float(float64(r.IntN(2_000_000)) / 100) })
	maybe(65, "f05", func() tracker.Value {
		return tracker.Text(created.AddDate(0, 0, r.IntN(180)).Format(time.DateOnly))
	})
	maybe(40, "f06", func() tracker.Value {
		return tracker.Text(tracker.FormatDateTime(
			created.Add(time.Duration(r.IntN(90*24*60)) * time.Minute)))
	})
	maybe(80, "f07", func() tracker.Value { return tracker.Bool(r.IntN(5) == 0) })
	maybe(75, "f09", func() tracker.Value {
		return tracker.Set(some(r, []string{"s1", "s2", "s3", "s4", "s5", "s6"}, 3))
	})
	maybe(45, "f10", func() tracker.Value { return tracker.Set(some(r, tags, 4)) })
	maybe(70, "f11", func() tracker.Value { return tracker.Text(pick(r, people)) })
	i.Description = tracker.Text(pick(r, remarks) + " " + pick(r, remarks))
	return i
}

func paragraphs(r *rand.Rand) string {
	out := make([]string, 1+r.IntN(12))
	for i := range out {
		out[i] = pick(r, remarks)
	}
	return strings.Join(out, "\n")
}
