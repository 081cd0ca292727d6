// Package check verifies the invariants of the table (I1 to I7 of package dynamo), and repairs what can be
// derived from the documents. Start with Run. It reads raw items through store.DB, and writes only to
// repair a finding.
//
// Run checks every item of the table, or of one tenant or project, while clients continue to read and write:
//
//  1. It scans segments of the table in parallel. When the scan has passed a partition, its items are
//     checked: an issue is compared with its entries, its long texts and its history, a project with its
//     fields. Since a scan is not a snapshot, a partition with findings is read again immediately and
//     consistently.
//  2. If it still has findings, the partition is a suspect, and is read once more at the end, after a pause
//     (Options.Settle). Only findings present both times are reported. This excludes changes that were in
//     progress.
//  3. Projects are compared with their counters, guards and tenants at the end of the scan.
//
// With Repair, each finding is repaired from the documents by transactions conditional on the items that were
// read, and the partition is checked again. For example, the scan returns version 7 of issue p1.x and no item
// `acme/xvalue-p1.f1`, although the document has a value of f1. The second and the third read find the same.
// Repair puts the entry in a transaction with the condition that the version is 7. If the condition fails,
// the next read decides again.
//
// The check keeps in memory: for each segment, a page of the scan and the keys, references and digests of one
// partition; for each project its key, its counter, a bit for each issue number (numbers), and the guard of
// its key; the most recently used definitions and tags; and up to maxSuspects suspects, which are processed
// early when there are more. The partition of a project includes its tags. The check does not keep the
// contents of long texts, except for the text being read.
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
	"issuegrid/dynamo/internal/store"
	"issuegrid/tracker"
)

// Options specifies what to check.
type Options struct {
	// Tenant and Project restrict the check, unless they are empty. Project requires Tenant.
	Tenant  tracker.TenantID
	Project tracker.ProjectID
	// Repair repairs what can be derived from the documents.
	Repair bool
	// Segments is the number of segments of the table scanned in parallel. 0 means DefaultSegments.
	Segments int
	// Settle is the pause before suspects are read for the last time.
	Settle time.Duration
}

// DefaultSegments is the default of Options.Segments, and DefaultSettle a suitable Options.Settle.
const (
	DefaultSegments = 4
	DefaultSettle   = 5 * time.Second
)

const (
	// maxChangeTime is how long a change may take before it is assumed to have been interrupted by a crash.
	maxChangeTime = 2 * store.IndexTime
	// orphanAge is the age from which a long text without references is assumed to be left by a crash.
	orphanAge = time.Hour
	// unusedAge is the age from which no server relies on a tag being listed. It is much more than how long
	// they do (issues.Store), because clocks differ.
	unusedAge = time.Hour
	// maxSuspects is the number of suspects after which they are processed before the scan continues.
	maxSuspects = 10_000
	// keptDefinitions is the number of cached definitions of projects.
	keptDefinitions = 1024
)

// Progress is the progress of a check.
type Progress struct {
	Stage Stage
	// Done of Total items or suspects. The total number of items is an estimate, because DynamoDB updates it
	// only a few times a day.
	Done, Total int
}

// Stage is the current activity of a check.
type Stage string

// The stages of a check.
const (
	StageScan    Stage = "Checking"
	StageRecheck Stage = "Checking again"
)

// checker is the state of a running check.
type checker struct {
	db          *store.DB
	stored      *dynamo.DB
	options     Options
	progress    func(Progress)
	definitions *lru.Cache[string, *tracker.Definition]
	listed      *lru.Cache[layout.Key, struct{}] // tags in lists of tags

	mu       sync.Mutex
	total    int
	report   Report
	found    tally
	projects map[layout.Key]*projectSeen // by the key of the project's item
	tenants  map[tracker.TenantID]bool
	guards   map[layout.Key]tracker.ProjectID
	suspects []*suspect
}

// tenant is a handle on the items of a tenant, and on what is stored in them.
type tenant struct {
	dynamo.Inside
	stored *dynamo.Tenant
}

// tenant returns a handle on a tenant, which need not exist.
func (c *checker) tenant(id tracker.TenantID) (*tenant, error) {
	t, err := c.stored.Tenant(id)
	if err != nil {
		return nil, err
	}
	return &tenant{t.Inside(), t}, nil
}

// Run verifies the invariants of the table, and with Repair repairs what it can. On an error it also returns
// the report up to that point. progress may be nil; Run does not call it concurrently.
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
	listed, err := lru.New[layout.Key, struct{}](keptTags)
	if err != nil {
		return nil, tracker.Internal("a cache has no size", err)
	}
	c := &checker{db: db.Inside(), stored: db, options: o, progress: progress, definitions: definitions,
		listed: listed,
		found:  tally{}, projects: map[layout.Key]*projectSeen{}, tenants: map[tracker.TenantID]bool{},
		guards: map[layout.Key]tracker.ProjectID{}}
	err = c.run(ctx)
	c.report.Kinds = c.found.kinds()
	return &c.report, err
}

func (c *checker) run(ctx context.Context) error {
	out, err := c.db.Client.DescribeTable(ctx,
		&dynamodb.DescribeTableInput{TableName: aws.String(c.db.Table)})
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

// scan reads a segment and checks its partitions. It relies on a scan returning the items of a partition
// consecutively. If it did not, it would check an incomplete partition, and the second read would correct the
// result.
func (c *checker) scan(ctx context.Context, segment int) error {
	in := &dynamodb.ScanInput{TableName: aws.String(c.db.Table), Segment: aws.Int32(int32(segment)),
		TotalSegments:          aws.Int32(int32(c.options.Segments)),
		ReturnConsumedCapacity: types.ReturnConsumedCapacityTotal}
	in.FilterExpression, in.ExpressionAttributeValues = c.filter()
	var current partition
	pk, size := "", 0
	for {
		out, err := c.db.Client.Scan(ctx, in)
		if err != nil {
			return client.Translate(err)
		}
		for _, m := range out.Items {
			if at := layout.GetS(m, layout.AttrPK); current == nil || at != pk {
				if err := c.checkPartition(ctx, pk, current, size); err != nil {
					return err
				}
				current, pk, size = c.newPartition(at), at, 0
			}
			size++
			current.add(m)
		}
		c.scanned(int(out.Count))
		if out.LastEvaluatedKey == nil {
			return c.checkPartition(ctx, pk, current, size)
		}
		in.ExclusiveStartKey = out.LastEvaluatedKey
	}
}

// filter returns a filter expression that returns only items of the tenant or the project. The scan still
// reads, and Amazon charges for, all items.
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
			", :issues) OR begins_with(" + layout.AttrPK + ", :guards) OR " + layout.AttrPK +
			" = :activity OR begins_with(" + layout.AttrPK + ", :shards)"),
		layout.Item{":project": layout.S(k.Project(c.options.Project)),
			":tenant":   layout.S(k.TenantItem().PK),
			":issues":   layout.S(k.IssuePrefix(c.options.Project)),
			":guards":   layout.S(k.ProjectKeyGuard("").PK),
			":activity": layout.S(layout.ActivityOf(k, c.options.Project).Partition(0)),
			":shards":   layout.S(layout.ActivityOf(k, c.options.Project).Partition(0) + "~")}
}

func (c *checker) scanned(n int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.report.Items += n
	c.progress(Progress{StageScan, c.report.Items, max(c.total, c.report.Items+1)})
}

// partition contains the items that were read of a table partition.
type partition interface {
	// add adds an item. It is called in the order of the sort keys.
	add(m layout.Item)
	// check returns the findings. Unless fresh is set, it may use a cached definition of the project.
	check(ctx context.Context, fresh bool) ([]Finding, error)
	// record keeps what the rest of the check needs. It is called once in a check.
	record()
	// moved reports whether the version has changed since the partition was read.
	moved(ctx context.Context) (bool, error)
	// repair repairs the findings of one kind, on condition that the items are unchanged since they were
	// read.
	repair(ctx context.Context, kind FindingKind, all []Finding) error
}

// newPartition returns an empty partition.
func (c *checker) newPartition(pk string) partition {
	at := layout.ParsePartition(pk)
	single := singlePartition{c: c, place: at}
	t, err := c.tenant(at.Tenant)
	switch {
	case at.Kind == layout.PartitionTenantName:
		return &tenantNamePartition{c: c}
	case at.Kind == layout.PartitionTenant:
		return &tenantPartition{c: c, t: t}
	case err != nil:
		return &single
	case at.Kind == layout.PartitionIssue:
		return &issuePartition{c: c, t: t, id: at.Issue,
			comments: commentsSeen{at: layout.CommentsOf(t.Keys, at.Issue)}}
	case at.Kind == layout.PartitionProject:
		return &projectPartition{c: c, t: t, id: at.Project}
	case at.Kind == layout.PartitionUser, at.Kind == layout.PartitionTeam:
		return &personPartition{t: t, place: at}
	case at.Kind == layout.PartitionPeopleGuard:
		return &personGuardPartition{t: t, place: at}
	case at.Kind == layout.PartitionActivity:
		return &activityPartition{c: c, t: t, project: at.Project}
	case at.Kind == layout.PartitionFieldGuard:
		return &nameGuardPartition{c: c, t: t, place: at}
	}
	single.t = t
	return &single
}

// checkPartition checks the scanned items of a partition. A partition with findings becomes a suspect if a
// consistent read has findings, too.
func (c *checker) checkPartition(ctx context.Context, pk string, p partition, size int) error {
	if p == nil {
		return nil
	}
	findings, err := p.check(ctx, false)
	if err != nil {
		return err
	}
	c.mu.Lock()
	p.record()
	c.mu.Unlock()
	if len(findings) == 0 {
		return nil
	}
	return c.suspect(ctx, &partitionSubject{c: c, pk: pk})
}

// definition returns the definition of a project, also of a deleted one that is being removed. It returns nil
// if there is no such project.
func (c *checker) definition(ctx context.Context, t *tenant, p tracker.ProjectID,
	fresh bool) (*tracker.Definition, error) {
	at := t.Keys.Project(p)
	if d, ok := c.definitions.Get(at); ok && !fresh {
		return d, nil
	}
	d, _, err := t.Definitions.ReadAny(ctx, p)
	if tracker.CodeOf(err) == tracker.NotFound {
		d, err = nil, nil
	}
	if err == nil {
		c.definitions.Add(at, d)
	}
	return d, err
}
