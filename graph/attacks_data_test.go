package graph_test

import (
	"encoding/json"
	"hash/fnv"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"issuegrid/graph/guard"
	"issuegrid/graph/guard/guardtest"
	"issuegrid/test/tier"
)

const (
	// steps is the minimum number of values of a kind that an argument gets: one in each of four manners.
	steps = 4
	// smallBody is the size in bytes of 15 bodies in 16, at most. Nearly all time goes to the largest.
	smallBody = 256 << 10
	// failuresShown is the number of failures after which the rest of a family is skipped.
	failuresShown = 2
)

// TestAttacksOnData attacks existing projects through every argument and field of the schema. A request
// refused before it is executed must cost no more than 50 ms of CPU time, and an accepted one no more than
// its budget, for all strings in the request and the data. A request whose client has disconnected must end
// soon. In tier one the CPU time is what was counted, and so is exact.
func TestAttacksOnData(t *testing.T) {
	world := newAttacked(t)
	d := &againstData{Handler: handler(world.db), failed: map[string]int{}}
	t.Run("generated", func(t *testing.T) { d.generated(t, world) })
	t.Run("by hand", func(t *testing.T) { d.byHand(t, world) })
	t.Run("named", func(t *testing.T) { d.named(t, world) })
	t.Run("cancelled", func(t *testing.T) {
		tier.Verify(t, "it asserts CPU time")
		d.cancelled(t)
	})
	names, refused := map[string]bool{}, 0
	for _, o := range d.all {
		names[o.family+", "+o.manner] = true
		if o.refused {
			refused++
		}
	}
	t.Logf("%d attacks in %d families, %d refused", len(d.all), len(names), refused)
	if len(guardtest.Families) < 30 || len(names) < 80 || len(d.all)*fewer < 20_000 {
		t.Errorf("%d attacks in %d families, %d of them by hand", len(d.all), len(names),
			len(guardtest.Families))
	}
	for _, o := range d.worst()[:10] {
		t.Log(o)
	}
}

// generated runs the attacks that are generated from the schema.
func (d *againstData) generated(t *testing.T, world *attacked) {
	schema := schemaFile(t)
	own := newGenerator(schema, thingsOf(&world.scripts), world.foreign)
	for _, name := range slices.Sorted(maps.Keys(own.of)) {
		g := own
		if own.of[name][0].mutates() {
			g = newGenerator(schema, world.ground(t), world.foreign)
		}
		byArgument := map[string][]spot{}
		for _, s := range g.of[name] {
			byArgument[s.argument()] = append(byArgument[s.argument()], s)
		}
		for _, argument := range slices.Sorted(maps.Keys(byArgument)) {
			for _, k := range kinds {
				d.ofKind(t, world, g, argument, byArgument[argument], k)
			}
		}
	}
}

// ofKind attacks an argument with values of one kind, in all manners in turn.
func (d *againstData) ofKind(t *testing.T, world *attacked, g *generator, argument string, spots []spot,
	k kind) {
	spots = slices.DeleteFunc(slices.Clone(spots), func(s spot) bool { return !k.fits(g, s) })
	if len(spots) == 0 {
		return
	}
	family := argument + ": " + k.name
	h := fnv.New64a()
	h.Write([]byte(family))
	g.Attacker = &guardtest.Attacker{Rand: rand.New(rand.NewPCG(h.Sum64(), 0))}
	for n := range max(steps, len(spots)) {
		if d.steps++; d.steps%fewer != 0 {
			continue
		}
		if g.body = smallBody; g.IntN(16) == 0 {
			g.body = guard.DefaultLimits().Body
		}
		s := spots[n%len(spots)]
		given := k.placements(g, s, n)
		first := d.make(t, family, once.name, once.request(g, s, given, 1))
		fit := slices.DeleteFunc(slices.Clone(manners), func(m manner) bool { return !m.fits(g, s) })
		m := fit[n%len(fit)]
		d.make(t, family, m.name, m.request(g, s, onePage(s, given), first.uses(s, n)))
		if !first.nothing && s.mutates() && !g.stands(t, world) {
			g.things = world.ground(t)
		}
		if d.failed[family] >= failuresShown {
			t.Errorf("%s: skipped its other attacks", family)
			return
		}
	}
}

// stands reports whether everything that the mutations work on still exists and no job affects it.
func (g *generator) stands(t *testing.T, world *attacked) bool {
	var got struct {
		Project *struct{ Jobs []struct{ ID string } }
	}
	ids := append(slices.Collect(maps.Values(g.things.fields)), g.things.issue)
	there := world.ask(t,
		`query($p: ID!, $ids: [ID!]!) { project(id: $p) { jobs { id } } nodes(ids: $ids) { id } }`,
		map[string]any{"p": g.things.project, "ids": ids})
	return len(there.Errors) == 0 && json.Unmarshal(there.Data, &got) == nil && len(got.Project.Jobs) == 0
}

// uses returns how often to repeat the part of an attack: as often as the limits allow if nothing was read or
// executed, and otherwise as often as its cost allows. One in forty attacks that read something and executed
// nothing is repeated as often as the limits allow, too.
func (o *outcome) uses(s spot, n int) int {
	units := 5.0
	switch {
	case o.nothing && (o.units == 0 || n%40 == 39):
		return 1 << 20
	case o.nothing:
		units = 10
	case s.mutates():
		return 3
	}
	return max(2, int(min(units/max(1, o.units), float64(20*time.Millisecond)/float64(o.cpu+1))))
}

// byHand runs the hand-written families on existing projects, 11,256 attacks in tier two.
func (d *againstData) byHand(t *testing.T, world *attacked) {
	project, ground := projectID(&world.scripts), world.ground(t).project
	there := strings.NewReplacer(`project(id: \"x\")`, `project(id: \"`+project+`\")`, `"p":"x"`,
		`"p":"`+project+`"`,
		`project: \"x\"`, `project: \"`+ground+`\"`, `"projectId":"x"`, `"projectId":"`+ground+`"`)
	for _, family := range slices.Sorted(maps.Keys(guardtest.Families)) {
		for seed := range uint64(tier.Cases(2, 268)) {
			a := guardtest.New(family, seed)
			a.Body = there.Replace(a.Body)
			d.make(t, family, "on data", a)
		}
	}
}
