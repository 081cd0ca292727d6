package dynamo_test

import (
	"context"
	"errors"
	"fmt"
	"hash/crc32"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/google/go-cmp/cmp"

	"issuegrid/dynamo"
	"issuegrid/dynamo/dynamotest"
	"issuegrid/internal/columns"
	"issuegrid/test/tier"
	"issuegrid/tracker"
)

func TestMain(m *testing.M) {
	tier.Parallel()
	dynamotest.Main(m)
}

// The ids of the fixture. Both tenants use the same project ids, so that their keys differ only in the
// tenant.
const (
	acme    = tracker.TenantID("acme")
	rival   = tracker.TenantID("rival")
	project = tracker.ProjectID("p1")
)

// oneShard has the tests that name the keys of issues with random ids, or that count Queries. The projects of
// other tests have 1, 2 or 7 shards.
var oneShard = []string{"TestAttempts", "TestMeter", "TestQueriesHaveALimit", "TestOnlyWhatChangesIsWritten",
	"TestCorruptItems", "TestCheckFindsDamage", "TestCancelJob", "TestChangeDuringRepair"}

// fixture is a table with two tenants. Tests change the first; the items of the second must stay the same.
type fixture struct {
	*testing.T
	db   *dynamo.DB
	wire *dynamotest.Wire
	raw  *raw
	// store is the handle of acme, d the definition of its project, which has a field of each type.
	store *dynamo.Tenant
	d     *tracker.Definition
}

// setup returns a fixture with its own table. It makes the test run in parallel with others.
func setup(t *testing.T, options ...func(*dynamo.Settings)) *fixture {
	t.Helper()
	t.Parallel()
	db, wire := dynamotest.Open(t, options...)
	f := &fixture{T: t, db: db, wire: wire, raw: newRaw(t, db.Table())}
	stored := storedFixture(t, f.shards())
	f.raw.putAll(stored)
	t.Cleanup(func() {
		of := string(rival) + "/"
		if diff := cmp.Diff(itemsOf(stored, of), f.raw.items(of)); diff != "" {
			t.Errorf("the other tenant's items changed (-before +after):\n%s", diff)
		}
	})
	var err error
	f.store, err = db.Tenant(acme)
	f.must(err)
	d, err := f.store.Definition(f.Context(), project)
	f.must(err)
	f.d = tracker.NewDefinition(d.Project, d.Fields) // this one never goes stale
	wire.Reset()
	return f
}

// fixtures has what fixtures begin with, by the number of shards.
var fixtures = struct {
	sync.Mutex
	items map[int][]map[string]types.AttributeValue
}{items: map[int][]map[string]types.AttributeValue{}}

// storedFixture returns the items that a fixture begins with. The product has written them once, in another
// table: each test would need 26 transactions for them.
func storedFixture(t *testing.T, shards int) []map[string]types.AttributeValue {
	t.Helper()
	fixtures.Lock()
	defer fixtures.Unlock()
	if fixtures.items[shards] == nil {
		db, _ := dynamotest.Open(t)
		f := &fixture{T: t, db: db, raw: newRaw(t, db.Table())}
		f.tenant(acme, shards)
		other, d := f.tenant(rival, shards)
		f.create(other, d, tracker.Issue{Name: "Of the rival", State: "open", Values: fullValues()})
		fixtures.items[shards] = f.raw.scanned("")
	}
	return fixtures.items[shards]
}

// tenant creates a tenant with a project that has a field of each type.
func (f *fixture) tenant(id tracker.TenantID, shards int) (*dynamo.Tenant, *tracker.Definition) {
	f.Helper()
	f.must(f.db.CreateTenant(f.Context(), tracker.Tenant{ID: id, Name: "Tenant " + string(id)}))
	store, err := f.db.Tenant(id)
	f.must(err)
	return store, f.project(store, tracker.Project{ID: project, Key: "PRJ", Name: "The Project",
		Shards: shards}, everyField()...)
}

// shards returns the number of shards of the projects of a test, or 0 for the default.
func (f *fixture) shards() int {
	root, _, _ := strings.Cut(f.Name(), "/")
	if slices.Contains(oneShard, root) {
		return 0
	}
	return []int{1, 2, 7}[crc32.ChecksumIEEE([]byte(root))%3]
}

func (f *fixture) project(store *dynamo.Tenant, p tracker.Project,
	fields ...tracker.Field) *tracker.Definition {
	f.Helper()
	if p.States == nil {
		p.States = []tracker.State{{ID: "open", Name: "Open", Open: true},
			{ID: "doing", Name: "Doing", Open: true}, {ID: "done", Name: "Done"}}
	}
	if p.Shards == 0 {
		p.Shards = f.shards()
	}
	_, err := store.CreateProject(f.Context(), p)
	f.must(err)
	for _, field := range fields {
		_, err := store.CreateField(f.Context(), p.ID, field)
		f.must(err)
	}
	d, err := store.Definition(f.Context(), p.ID)
	f.must(err)
	return tracker.NewDefinition(d.Project, d.Fields) // this one never goes stale
}

func (f *fixture) create(store *dynamo.Tenant, d *tracker.Definition, i tracker.Issue) *tracker.Issue {
	f.Helper()
	created, err := store.CreateIssue(f.Context(), d, i)
	f.must(err)
	return created
}

// issue creates an issue of acme.
func (f *fixture) issue(values map[tracker.FieldID]tracker.Value) *tracker.Issue {
	f.Helper()
	return f.create(f.store, f.d, tracker.Issue{Name: "An issue", State: "open", Values: values})
}

// update changes an issue of acme.
func (f *fixture) update(d *tracker.Definition, id tracker.IssueID, c tracker.Change) {
	f.Helper()
	_, err := f.store.UpdateIssue(f.Context(), d, id, c)
	f.must(err)
}

func (f *fixture) restore(d *tracker.Definition, id tracker.IssueID) *tracker.Issue {
	f.Helper()
	restored, err := f.store.RestoreIssue(f.Context(), d, id)
	f.must(err)
	return restored
}

// known returns the definition of the project as the server has it.
func (f *fixture) known() *tracker.Definition {
	f.Helper()
	d, err := f.store.Definition(f.Context(), project)
	f.must(err)
	return d
}

// edit changes a field of the project, editProject the project itself.
func (f *fixture) edit(id tracker.FieldID, change func(*tracker.Field)) {
	f.Helper()
	_, err := f.store.UpdateField(f.Context(), project, id, func(field *tracker.Field) error {
		change(field)
		return nil
	})
	f.must(err)
}

func (f *fixture) editProject(change func(*tracker.Project)) {
	f.Helper()
	_, err := f.store.UpdateProject(f.Context(), project, func(p *tracker.Project) error {
		change(p)
		return nil
	})
	f.must(err)
}

// field creates a field of the project.
func (f *fixture) field(x tracker.Field) {
	f.Helper()
	_, err := f.store.CreateField(f.Context(), project, x)
	f.must(err)
}

// merge replaces an option of a field by another option, or by none if into is empty.
func (f *fixture) merge(id tracker.FieldID, from, into tracker.OptionID) {
	f.Helper()
	_, err := mergeOptions(f.Context(), f.store, project, id, []tracker.OptionID{from}, into)
	f.must(err)
}

// ok fails the test at once if there is an error.
func ok(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// mergeOptions replaces options of a field by another option, or by none if into is empty.
func mergeOptions(ctx context.Context, t *dynamo.Tenant, p tracker.ProjectID, id tracker.FieldID,
	from []tracker.OptionID, into tracker.OptionID) (*tracker.Field, error) {
	return t.UpdateField(ctx, p, id, func(f *tracker.Field) error { return f.MergeOptions(from, into) })
}

func (f *fixture) must(err error) {
	f.Helper()
	ok(f, err)
}

// read returns an issue's document.
func (f *fixture) read(id tracker.IssueID) *tracker.Issue {
	f.Helper()
	found, err := f.store.Issues(f.Context(), []tracker.IssueID{id})
	f.must(err)
	if found[0] == nil {
		f.Fatalf("issue %v does not exist", id)
	}
	return found[0]
}

// wantCode checks that err has the code, that its message contains all the words and no internal details.
func wantCode(t testing.TB, err error, code tracker.Code, words ...string) {
	t.Helper()
	if got := tracker.CodeOf(err); got != code {
		t.Fatalf("error %v has code %q, want %q", err, got, code)
	}
	if err == nil {
		return
	}
	message := messageOf(err)
	if setup, ok := errors.AsType[*dynamo.SetupError](err); ok { // shown to the operator
		message += "\n" + setup.Message
	}
	for _, word := range words {
		if !strings.Contains(message, word) {
			t.Errorf("message %q does not say %q", message, word)
		}
	}
	for _, secret := range []string{"internal-detail", "smithy", "operation error", "https response",
		"dynamodb.", "Exception", "RequestID", "PK"} {
		if strings.Contains(message, secret) {
			t.Errorf("message %q shows %q, which is for the log", message, secret)
		}
	}
}

// everyField returns a field of each type. Their ids begin with f, because some types are named like built-in
// columns.
func everyField() []tracker.Field {
	return []tracker.Field{
		{ID: "ftext", Name: "Text", Type: tracker.TypeText},
		{ID: "flong", Name: "Long", Type: tracker.TypeLongText},
		{ID: "fint", Name: "Integer", Type: tracker.TypeInteger},
		{ID: "fnum", Name: "Number", Type: tracker.TypeNumber},
		{ID: "fdate", Name: "Date", Type: tracker.TypeDate},
		{ID: "ftime", Name: "Time", Type: tracker.TypeDateTime},
		{ID: "fbool", Name: "Boolean", Type: tracker.TypeBoolean},
		{ID: "fsel", Name: "Select", Type: tracker.TypeSelect, Options: options("o", 3)},
		{ID: "fmulti", Name: "Multi", Type: tracker.TypeMultiSelect, Options: options("m", 200)},
		{ID: "ftags", Name: "Tags", Type: tracker.TypeTags},
		{ID: "fuser", Name: "User", Type: tracker.TypeUser},
	}
}

func options(prefix string, n int) []tracker.Option {
	out := make([]tracker.Option, n)
	for i := range out {
		out[i] = tracker.Option{ID: tracker.OptionID(fmt.Sprintf("%s%d", prefix, i)),
			Name: fmt.Sprintf("Option %d", i)}
	}
	return out
}

// fullValues returns a value for each field of everyField.
func fullValues() map[tracker.FieldID]tracker.Value {
	return map[tracker.FieldID]tracker.Value{
		"ftext": tracker.Text("Approved"), "flong": tracker.Text("Some words"), "fint": tracker.Int(42),
		"fnum":  tracker.Float(2.5),
		"fdate": tracker.Text("2023-05-01"), "ftime": tracker.Text("2023-05-01T10:00:00.5Z"),
		"fbool": tracker.Bool(true),
		"fsel":  tracker.Text("o1"), "fmulti": tracker.Set([]string{"m1", "m0"}),
		"ftags": tracker.Set([]string{"Red", "blue"}),
		"fuser": tracker.Text("Ada Lindqvist"),
	}
}

// ada is a user with an account.
var ada = tracker.Actor{Kind: tracker.ActorUser, Name: "ada", User: "ada"}

// incompressible returns a text of n bytes that compresses badly: pseudo-random characters of 3 bytes from a
// fixed seed.
func incompressible(n int) string {
	var b strings.Builder
	b.Grow(n)
	x := uint32(2463534242)
	for b.Len()+3 <= n {
		x ^= x << 13
		x ^= x >> 17
		x ^= x << 5
		b.WriteRune(rune(0x4e00 + x%20000)) // 3 bytes with over 14 random bits
	}
	b.WriteString(strings.Repeat("x", n-b.Len()))
	return b.String()
}

func day(n int) time.Time { return time.Date(2024, 3, n, 12, 0, 0, 0, time.UTC) }

func ptr[T any](v T) *T { return &v }

// nums returns the numbers of issues in ascending order.
func nums(issues []*tracker.Issue) []int64 {
	var out []int64
	for _, i := range issues {
		out = append(out, i.Num)
	}
	slices.Sort(out)
	return out
}

// dynamoQuery returns a query for all keys of a column.
func dynamoQuery(p tracker.ProjectID, c tracker.Column, descending bool) columns.KeyQuery {
	return columns.KeyQuery{Project: p, Column: c, Descending: descending}
}

func ids(keys []columns.IndexKey) []string {
	out := make([]string, len(keys))
	for i, k := range keys {
		out[i] = k.Issue.Issue
	}
	return out
}

func reversed[T any](s []T) []T {
	out := slices.Clone(s)
	slices.Reverse(out)
	return out
}

// tester is the common interface of testing.T and rapid.T.
type tester interface {
	Helper()
	Errorf(format string, args ...any)
	Fatal(args ...any)
	Fatalf(format string, args ...any)
}
