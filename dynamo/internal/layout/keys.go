// Package layout defines the contents of the table: the keys of the items, their attributes, and the entries
// that follow from a document. Start with Keys, which builds the keys of one tenant. All functions are pure:
// this package must not use a client, a context or a clock. The invariants I1 to I7 are defined in package
// dynamo.
package layout

import (
	"fmt"
	"strconv"
	"strings"

	"issuegrid/tracker"
)

// The key attributes, and the name of the index.
const (
	AttrPK    = "PK"
	AttrSK    = "SK"
	AttrSS    = "SS"
	AttrHas   = "has"
	IndexName = "grid"
)

// AttrExpires is the TTL attribute: the time after which DynamoDB may remove an item, in seconds since 1970.
// Since DynamoDB removes expired items late, readers check the attribute.
const AttrExpires = "expires"

// TenantsPartition is the index partition of all tenants, the only one of the index that does not begin with
// a tenant.
const TenantsPartition = "tenants"

// Key is the primary key of an item.
type Key struct{ PK, SK string }

// Keys builds the keys of one tenant: every partition key, of the table and of the index, begins with the
// tenant (I1), except those of TenantsPartition, of TenantNameGuard, and of the changes of tenants that were
// made under an idempotency key, which the zero Keys builds. There is one constructor for each form of key,
// and a parser for those that are read back.
type Keys struct{ Tenant tracker.TenantID }

func (k Keys) pk(kind, id string) string { return string(k.Tenant) + "/" + kind + "-" + id }

func issuePart(id tracker.IssueID) string { return string(id.Project) + "." + id.Issue }

// TenantItem returns the key of the tenant.
func (k Keys) TenantItem() Key {
	return Key{PK: k.pk("tenant", string(k.Tenant)), SK: TenantsPartition}
}

// TenantNameGuard returns the key of the item that prevents two tenants from having names that people do not
// tell apart. The partition keys of these items do not begin with a tenant: they begin with a slash.
func TenantNameGuard(name string) Key {
	return Key{PK: tenantNamePrefix + tracker.IDFor(tracker.Lookalike(name)), SK: "*"}
}

const tenantNamePrefix = "/tenantname-"

// Projects returns the index partition of the tenant's projects.
func (k Keys) Projects() string { return k.pk("tenant", string(k.Tenant)) }

// Project returns the table partition of a project, its fields and its counter. It is also the index
// partition of its issues in the first shard.
func (k Keys) Project(p tracker.ProjectID) string { return k.pk("project", string(p)) }

// shardPart returns the part of the names of index partitions that identifies a shard of a project: without a
// number for the first one, so that the partitions of a project with one shard have none.
func shardPart(p tracker.ProjectID, shard int) string {
	if shard == 0 {
		return string(p)
	}
	return string(p) + "~" + strconv.Itoa(shard)
}

// ProjectItem returns the key of a project without its fields.
func (k Keys) ProjectItem(p tracker.ProjectID) Key {
	return Key{PK: k.Project(p), SK: k.Projects()}
}

// Field returns the key of the definition of a field.
func (k Keys) Field(p tracker.ProjectID, f tracker.FieldID) Key {
	return Key{PK: k.Project(p), SK: k.pk("xattrib", string(p)+"."+string(f))}
}

// Counter returns the key of the counter, which contains the last issue number of a project.
func (k Keys) Counter(p tracker.ProjectID) Key {
	return Key{PK: k.Project(p), SK: k.pk("xcounter", "num")}
}

// FieldNameGuard returns the key of the item that prevents two fields of a project from having the same name.
func (k Keys) FieldNameGuard(p tracker.ProjectID, name string) Key {
	return Key{PK: k.pk("unique", "fieldname."+string(p)+"."+tracker.IDFor(tracker.NameKey(name))), SK: "*"}
}

// Jobs returns the key of the item with the jobs of a project. The item is in the index partition of its
// tenant's jobs while a job is open.
func (k Keys) Jobs(p tracker.ProjectID) Key { return Key{PK: k.Project(p), SK: k.OpenJobs()} }

// OpenJobs returns the index partition of the tenant's projects with open jobs.
func (k Keys) OpenJobs() string { return k.pk("xjobs", string(k.Tenant)) }

// ProjectKeyGuard returns the key of the item that prevents two projects of a tenant from having the same
// key.
func (k Keys) ProjectKeyGuard(projectKey string) Key {
	return Key{PK: k.pk("unique", "projectkey."+projectKey), SK: "*"}
}

// IssuePrefix returns the prefix of the table partitions of all issues of a project. No other partition has
// it.
func (k Keys) IssuePrefix(p tracker.ProjectID) string { return k.pk("issue", string(p)+".") }

// Issue returns the table partition of an issue and its index entries.
func (k Keys) Issue(id tracker.IssueID) string { return k.pk("issue", issuePart(id)) }

// IssueItem returns the key of the document of an issue.
func (k Keys) IssueItem(id tracker.IssueID) Key {
	return Key{PK: k.Issue(id), SK: k.Column(id.Project, id.Shard(), tracker.ColumnNum)}
}

// Column returns the index partition of a shard of a project's grid in the order of a column.
func (k Keys) Column(p tracker.ProjectID, shard int, c tracker.Column) string {
	if c == tracker.ColumnNum {
		return k.pk("project", shardPart(p, shard))
	}
	return k.pk("xvalue", shardPart(p, shard)+"."+string(c))
}

// Generation returns the index partition of a field whose type was changed gen times.
func Generation(partition string, gen int64) string {
	if gen == 0 {
		return partition
	}
	return partition + "~" + strconv.FormatInt(gen, 10)
}

// value returns the key of an index entry.
func (k Keys) value(id tracker.IssueID, c tracker.Column, gen int64) Key {
	return Key{PK: k.Issue(id), SK: Generation(k.Column(id.Project, id.Shard(), c), gen)}
}

// member returns the key of the index entry of one member of a set: an option's id, or a folded tag.
func (k Keys) member(id tracker.IssueID, f *tracker.Field, member string) Key {
	return Key{PK: k.Issue(id),
		SK: Generation(k.Column(id.Project, id.Shard(), f.ID.Column()), f.Gen) + "." + member}
}

// part returns the key of the n-th item of a long text, from 0.
func (k Keys) part(id tracker.IssueID, c tracker.Column, l tracker.Long, n int) Key {
	return Key{PK: k.Issue(id), SK: k.pk("xtext", string(id.Project)+"."+string(c)+"."+l.ID+"."+
		strconv.Itoa(n))}
}

// Marker returns the key of the marker. It exists while the index entries of an issue are being written after
// its document.
func (k Keys) Marker(id tracker.IssueID) Key {
	return Key{PK: k.Issue(id), SK: k.pk("xindexing", string(id.Project))}
}

// History returns the key of the n-th item of a version's entry in the history of an issue. The keys sort by
// version.
func (k Keys) History(id tracker.IssueID, version int64, n int) Key {
	return Key{PK: k.Issue(id), SK: k.pk("xhistory", fmt.Sprintf("%s.%010d.%02d", id.Project, version, n))}
}

// Trash returns the key of a deleted issue. Its item is in the index partition of its project's trash.
func (k Keys) Trash(id tracker.IssueID) Key {
	return Key{PK: k.Issue(id), SK: k.TrashOf(id.Project)}
}

// TrashOf returns the index partition of a project's trash.
func (k Keys) TrashOf(p tracker.ProjectID) string { return k.pk("xtrash", string(p)) }

// Once returns the key of the item that records a change made under a client's idempotency key.
func (k Keys) Once(key string) Key {
	return Key{PK: k.pk("once", tracker.IDFor("once", key)), SK: "*"}
}

// ColumnOf returns the column of an index entry.
func (k Keys) ColumnOf(id tracker.IssueID, entry Key) tracker.Column {
	rest, ok := strings.CutPrefix(entry.SK, valuePrefix(k, id))
	if !ok {
		return tracker.ColumnParticipation
	}
	column, _, _ := strings.Cut(rest, ".")
	column, _, _ = strings.Cut(column, "~")
	return tracker.Column(column)
}

// EntryPrefix returns the prefix of the sort keys of all index entries in the partition of an issue. No other
// item there has it.
func (k Keys) EntryPrefix() string { return string(k.Tenant) + "/xv" }

// IsEntry reports whether a sort key in the partition of an issue is that of an index entry of the issue.
func IsEntry(k Keys, id tracker.IssueID, sk string) bool {
	return strings.HasPrefix(sk, valuePrefix(k, id)) || strings.HasPrefix(sk, k.pk(participationKind, ""))
}

// ParseIssue returns the id in the partition key of an issue.
func (k Keys) ParseIssue(pk string) (tracker.IssueID, bool) {
	rest, ok := strings.CutPrefix(pk, string(k.Tenant)+"/issue-")
	if !ok {
		return tracker.IssueID{}, false
	}
	project, issue, ok := strings.Cut(rest, ".")
	id := tracker.IssueID{Project: tracker.ProjectID(project), Issue: issue}
	return id, ok && id.Valid()
}

// ParseHistory returns the version, and the number of the item within the entry, in the sort key of an item
// of an issue's history.
func (k Keys) ParseHistory(id tracker.IssueID, sk string) (version int64, n int, ok bool) {
	parts := strings.Split(sk, ".")
	if len(parts) != 3 {
		return 0, 0, false
	}
	version, versionErr := strconv.ParseInt(parts[1], 10, 64)
	n, err := strconv.Atoi(parts[2])
	return version, n, versionErr == nil && err == nil && sk == k.History(id, version, n).SK
}

// ParseProject returns the id in the partition key of a project.
func (k Keys) ParseProject(pk string) (tracker.ProjectID, bool) {
	rest, ok := strings.CutPrefix(pk, string(k.Tenant)+"/project-")
	return tracker.ProjectID(rest), ok && tracker.ValidID(rest)
}

// ParseTenant returns the id in the partition key of a tenant.
func ParseTenant(pk string) (tracker.TenantID, bool) {
	tenant, rest, ok := strings.Cut(pk, "/tenant-")
	return tracker.TenantID(tenant), ok && tenant == rest && tracker.ValidID(tenant)
}
