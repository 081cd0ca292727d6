// Package check verifies the invariants of the table (I1 to I6 of package dynamo), and mends what can be
// derived from the documents. Start with Run. It reads items as they are, by dynamo.Inside, and changes
// nothing but by a finding.
//
// Run looks at every item of the table, or of one tenant or project, while others go on to read and write it:
//
//  1. Segments of the table are scanned in parallel. What is read of one partition is judged as soon as the
//     scan leaves it: an issue is compared with its entries, its long texts and its history, a project with
//     its fields. A scan is no snapshot, so that whatever seems wrong is read again at once, consistently.
//  2. What still seems wrong is suspect, and is read once more at the end, after a pause (Options.Settle).
//     Only what is wrong both times is a finding: what a writer was in the midst of is not.
//  3. Projects are compared with their counters, guards and tenants at the end, when all were seen.
//
// With Repair each finding is mended from the documents by transactions that check that what was seen is
// still so, and looked at again after that. An example: the scan brings issue p1.x of version 7 and no item
// `acme/xvalue-p1.f1`, though its document has a value of f1. A second look finds the same; so does the
// third. Repair puts the entry in a transaction which checks that the version is 7. If it is not, the look
// after it decides anew.
//
// In memory are, for each segment, a page of the scan and the keys, references and digests of one partition;
// for each project its key, its counter, a bit for each issue number (numbers), and the guard of its key; the
// last used definitions; and up to maxSuspects suspects: more are dealt with in between. The contents of long
// texts are not kept, but for the one that is being read.
package check

import (
	"context"
	"sync"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	lru "github.com/hashicorp/golang-lru/v2"
	"golang.org/x/sync/errgroup"

	"issuegrid/dynamo"
	"issuegrid/dynamo/internal/client"
	"issuegrid/dynamo/internal/layout"
	"issuegrid/tracker"
)

// Options say what to check.
type Options struct {
	// Tenant and Project narrow the check; empty ones do not. A Project needs its Tenant.
	Tenant  tracker.TenantID
	Project tracker.ProjectID
	// Repair mends what can be derived from the documents.
	Repair bool
	// Segments is how many segments of the table are scanned side by side; 0 is DefaultSegments.
	Segments int
	// Settle is how long to wait before what seems wrong is looked at for the last time.
	Settle time.Duration
}

// What Options stand for when they say nothing, and a good pause.
const (
	DefaultSegments = 4
	DefaultSettle   = 5 * time.Second
)

const (
	// underWay is how long a change may be in the midst of its steps before it is taken for one that a crash
	// has broken off.
	underWay = 2 * dynamo.IndexTime
	// orphanAge is how old a long text must be that nobody refers to before it is taken for one that a crash
	// has left.
	orphanAge = time.Hour
	// maxSuspects is how many suspects are kept before they are dealt with.
	maxSuspects = 10_000
	// keptDefinitions is how many definitions of projects are kept.
	keptDefinitions = 1024
)

// Progress says how far a check is.
type Progress struct {
	Stage Stage
	// Done of Total items or suspects. The total of items is an estimate: DynamoDB counts them a few times a
	// day.
	Done, Total int
}

// Stage is what a check is doing.
type Stage string

// The stages of a check.
const (
	StageScan  Stage = "Checking"
	StageAgain Stage = "Looking again"
)

// checker is a check under way.
type checker struct {
	db          dynamo.Inside
	options     Options
	progress    func(Progress)
	definitions *lru.Cache[string, *tracker.Definition]

	mu       sync.Mutex
	total    int
	report   Report
	found    tally
	projects map[layout.Key]*projectSeen // by the key of the project's item
	tenants  map[tracker.TenantID]bool
	guards   map[layout.Key]tracker.ProjectID
	suspects []*suspect
}

// Run verifies the invariants of the table, and with Repair mends what it can. A report comes with an error,
// too: it says what was found until then. progress may be nil; it is never called twice at a time.
func Run(ctx context.Context, db *dynamo.DB, o Options, progress func(Progress)) (*Report, error) {
	if o.Segments <= 0 {
		o.Segments = DefaultSegments
	}
	if progress == nil {
		progress = func(Progress) {}
	}
	definitions, err := lru.New[string, *tracker.Definition](keptDefinitions)
	if err != nil {
		return nil, tracker.Internal("a cache has no size", err)
	}
	c := &checker{db: db.Inside(), options: o, progress: progress, definitions: definitions, found: tally{},
		projects: map[layout.Key]*projectSeen{}, tenants: map[tracker.TenantID]bool{},
		guards: map[layout.Key]tracker.ProjectID{}}
	err = c.run(ctx)
	c.report.Kinds = c.found.kinds()
	return &c.report, err
}

func (c *checker) run(ctx context.Context) error {
	out, err := c.db.Client().DescribeTable(ctx,
		&dynamodb.DescribeTableInput{TableName: aws.String(c.db.Table())})
	if err != nil {
		return client.Translate(err)
	}
	c.total = int(aws.ToInt64(out.Table.ItemCount))
	group, scanning := errgroup.WithContext(ctx)
	for segment := range c.options.Segments {
		group.Go(func() error { return c.scan(scanning, segment) })
	}
	if err := group.Wait(); err != nil {
		return err
	}
	c.progress(Progress{StageScan, c.report.Items, c.report.Items})
	if err := c.crossCheck(ctx); err != nil {
		return err
	}
	return c.confirmAll(ctx)
}

// scan reads a segment and judges its partitions. A scan brings the items of a partition one behind the
// other; if it did not, a part of one would be taken for the whole, and the second look would show the whole.
func (c *checker) scan(ctx context.Context, segment int) error {
	in := &dynamodb.ScanInput{TableName: aws.String(c.db.Table()), Segment: aws.Int32(int32(segment)),
		TotalSegments:          aws.Int32(int32(c.options.Segments)),
		ReturnConsumedCapacity: types.ReturnConsumedCapacityTotal}
	in.FilterExpression, in.ExpressionAttributeValues = c.filter()
	var current partition
	pk, size := "", 0
	for {
		out, err := c.db.Client().Scan(ctx, in)
		if err != nil {
			return client.Translate(err)
		}
		for _, m := range out.Items {
			if at := layout.GetS(m, layout.AttrPK); current == nil || at != pk {
				if err := c.judge(ctx, pk, current, size); err != nil {
					return err
				}
				current, pk, size = c.open(at), at, 0
			}
			size++
			current.add(m)
		}
		c.scanned(int(out.Count))
		if out.LastEvaluatedKey == nil {
			return c.judge(ctx, pk, current, size)
		}
		in.ExclusiveStartKey = out.LastEvaluatedKey
	}
}

// filter lets only the items of the tenant or the project come over the network. They are all read, and paid
// for.
func (c *checker) filter() (*string, layout.Item) {
	if c.options.Tenant == "" {
		return nil, nil
	}
	k := layout.Keys{Tenant: c.options.Tenant}
	if c.options.Project == "" {
		return aws.String("begins_with(" + layout.AttrPK + ", :tenant)"),
			layout.Item{":tenant": layout.S(string(c.options.Tenant) + "/")}
	}
	return aws.String(layout.AttrPK + " IN (:project, :tenant) OR begins_with(" + layout.AttrPK +
			", :issues) OR begins_with(" + layout.AttrPK + ", :guards)"),
		layout.Item{":project": layout.S(k.Project(c.options.Project)),
			":tenant": layout.S(k.TenantItem().PK),
			":issues": layout.S(k.IssuePrefix(c.options.Project)),
			":guards": layout.S(k.ProjectKeyGuard("").PK)}
}

func (c *checker) scanned(n int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.report.Items += n
	c.progress(Progress{StageScan, c.report.Items, max(c.total, c.report.Items+1)})
}

// partition is what was read of a table partition.
type partition interface {
	// add takes an item, in the order of the sort keys.
	add(m layout.Item)
	// judge says what is wrong. The definition of a project may be an old one unless fresh.
	judge(ctx context.Context, fresh bool) ([]Finding, error)
	// seen notes what the rest of the check needs to know, once in a check.
	seen()
	// moved tells whether there is another version now than there was when it was read.
	moved(ctx context.Context) (bool, error)
	// mend sets right what the findings of one kind say, unless something is not any more as it was read.
	mend(ctx context.Context, kind FindingKind, all []Finding) error
}

// open returns an empty partition.
func (c *checker) open(pk string) partition {
	at := layout.ParsePlace(pk)
	single := singlePartition{c: c, place: at}
	t, err := c.db.Tenant(at.Tenant)
	switch {
	case err != nil:
		return &single
	case at.Kind == layout.PlaceIssue:
		return &issuePartition{c: c, t: t, id: at.Issue}
	case at.Kind == layout.PlaceProject:
		return &projectPartition{c: c, t: t, id: at.Project}
	case at.Kind == layout.PlaceFieldGuard:
		return &nameGuardPartition{c: c, t: t, place: at}
	}
	single.t = t
	return &single
}

// judge takes what the scan has brought of a partition. What seems wrong becomes a suspect when a consistent
// look says the same.
func (c *checker) judge(ctx context.Context, pk string, p partition, size int) error {
	if p == nil {
		return nil
	}
	findings, err := p.judge(ctx, false)
	if err != nil {
		return err
	}
	c.mu.Lock()
	p.seen()
	c.mu.Unlock()
	if len(findings) == 0 {
		return nil
	}
	return c.suspect(ctx, &partitionSubject{c: c, pk: pk})
}

// definition returns the definition of a project, also of one that was deleted and is being removed; nil if
// there is no such project.
func (c *checker) definition(ctx context.Context, t *dynamo.InsideTenant, p tracker.ProjectID,
	fresh bool) (*tracker.Definition, error) {
	at := t.Keys.Project(p)
	if d, ok := c.definitions.Get(at); ok && !fresh {
		return d, nil
	}
	d, err := t.StoredDefinition(ctx, p)
	if tracker.CodeOf(err) == tracker.NotFound {
		d, err = nil, nil
	}
	if err == nil {
		c.definitions.Add(at, d)
	}
	return d, err
}
