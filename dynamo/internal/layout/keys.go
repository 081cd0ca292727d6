// Package layout is what is in the table: the keys of its items, their attributes, and the entries that
// follow from a document. Start with Keys, which builds the keys of one tenant. Everything here is a function
// of its arguments: nothing may know a client, a context or a clock. The invariants I1 to I6 that it cites
// are those of package dynamo.
package layout

import (
	"fmt"
	"strconv"
	"strings"

	"issuegrid/tracker"
)

// The attributes of the keys, and the name of the one index.
const (
	AttrPK    = "PK"
	AttrSK    = "SK"
	AttrSS    = "SS"
	AttrHas   = "has"
	IndexName = "grid"
)

// AttrExpires is the TTL attribute: when DynamoDB may remove an item, in seconds since 1970. It takes its
// time: readers look at the attribute themselves.
const AttrExpires = "expires"

// TenantsPartition is the index partition of all tenants, the one that does not begin with a tenant.
const TenantsPartition = "tenants"

// Key is the primary key of an item.
type Key struct{ PK, SK string }

// Keys builds the keys of one tenant and of no other: every partition key, the table's and the index's,
// begins with it (I1). One constructor for each shape of key, and one parser where a key is ever read back.
type Keys struct{ Tenant tracker.TenantID }

func (k Keys) pk(kind, id string) string { return string(k.Tenant) + "/" + kind + "-" + id }

func issuePart(id tracker.IssueID) string { return string(id.Project) + "." + id.Issue }

// TenantItem is the tenant itself.
func (k Keys) TenantItem() Key {
	return Key{PK: k.pk("tenant", string(k.Tenant)), SK: TenantsPartition}
}

// Projects is the index partition of the tenant's projects.
func (k Keys) Projects() string { return k.pk("tenant", string(k.Tenant)) }

// Project is the table partition of a project, its fields and its counter, and the index partition of its
// issues.
func (k Keys) Project(p tracker.ProjectID) string { return k.pk("project", string(p)) }

// ProjectItem is a project without its fields.
func (k Keys) ProjectItem(p tracker.ProjectID) Key {
	return Key{PK: k.Project(p), SK: k.Projects()}
}

// Field is the definition of a field.
func (k Keys) Field(p tracker.ProjectID, f tracker.FieldID) Key {
	return Key{PK: k.Project(p), SK: k.pk("xattrib", string(p)+"."+string(f))}
}

// Counter is the item that has the last number of a project's issues.
func (k Keys) Counter(p tracker.ProjectID) Key {
	return Key{PK: k.Project(p), SK: k.pk("xcounter", "num")}
}

// FieldNameGuard keeps two fields of a project from having names that differ by case only.
func (k Keys) FieldNameGuard(p tracker.ProjectID, name string) Key {
	return Key{PK: k.pk("unique", "fieldname."+string(p)+"."+tracker.IDFor(tracker.FoldName(name))), SK: "*"}
}

// Jobs is the one item with the jobs of a project. It is in the index partition of its tenant's jobs while
// one of them is open.
func (k Keys) Jobs(p tracker.ProjectID) Key { return Key{PK: k.Project(p), SK: k.OpenJobs()} }

// OpenJobs is the index partition of the tenant's projects that have open jobs.
func (k Keys) OpenJobs() string { return k.pk("xjobs", string(k.Tenant)) }

// ProjectKeyGuard keeps two projects of a tenant from having the same key.
func (k Keys) ProjectKeyGuard(projectKey string) Key {
	return Key{PK: k.pk("unique", "projectkey."+projectKey), SK: "*"}
}

// IssuePrefix begins the table partitions of all issues of a project, and of no other.
func (k Keys) IssuePrefix(p tracker.ProjectID) string { return k.pk("issue", string(p)+".") }

// Issue is the table partition of an issue and its index entries.
func (k Keys) Issue(id tracker.IssueID) string { return k.pk("issue", issuePart(id)) }

// IssueItem is the document of an issue.
func (k Keys) IssueItem(id tracker.IssueID) Key {
	return Key{PK: k.Issue(id), SK: k.Project(id.Project)}
}

// Column is the index partition of a project's grid in the order of a column.
func (k Keys) Column(p tracker.ProjectID, c tracker.Column) string {
	if c == tracker.ColumnNum {
		return k.Project(p)
	}
	return k.pk("xvalue", string(p)+"."+string(c))
}

// Generation is the index partition of a field whose type was changed so many times.
func Generation(partition string, gen int64) string {
	if gen == 0 {
		return partition
	}
	return partition + "~" + strconv.FormatInt(gen, 10)
}

// value is an index entry.
func (k Keys) value(id tracker.IssueID, c tracker.Column, gen int64) Key {
	return Key{PK: k.Issue(id), SK: Generation(k.Column(id.Project, c), gen)}
}

// member is the index entry of one member of a set: an option's id, or a folded tag.
func (k Keys) member(id tracker.IssueID, f *tracker.Field, member string) Key {
	return Key{PK: k.Issue(id), SK: Generation(k.Column(id.Project, f.ID.Column()), f.Gen) + "." + member}
}

// part is the n-th item of a long text, from 0.
func (k Keys) part(id tracker.IssueID, c tracker.Column, l tracker.Long, n int) Key {
	return Key{PK: k.Issue(id), SK: k.pk("xtext", string(id.Project)+"."+string(c)+"."+l.ID+"."+
		strconv.Itoa(n))}
}

// Marker is there while the index entries of an issue are written after its document.
func (k Keys) Marker(id tracker.IssueID) Key {
	return Key{PK: k.Issue(id), SK: k.pk("xindexing", string(id.Project))}
}

// History is the n-th item of the entry that a version has in an issue's history. The items of all are in the
// order of the versions.
func (k Keys) History(id tracker.IssueID, version int64, n int) Key {
	return Key{PK: k.Issue(id), SK: k.pk("xhistory", fmt.Sprintf("%s.%010d.%02d", id.Project, version, n))}
}

// Trash is an issue that was deleted. It is in the index partition of its project's trash.
func (k Keys) Trash(id tracker.IssueID) Key {
	return Key{PK: k.Issue(id), SK: k.TrashOf(id.Project)}
}

// TrashOf is the index partition of a project's trash.
func (k Keys) TrashOf(p tracker.ProjectID) string { return k.pk("xtrash", string(p)) }

// Once is what a change that may be made only once leaves under the key that the client gave it.
func (k Keys) Once(key string) Key {
	return Key{PK: k.pk("once", tracker.IDFor("once", key)), SK: "*"}
}

// ColumnOf is the column of an index entry.
func (k Keys) ColumnOf(p tracker.ProjectID, entry Key) tracker.Column {
	column, _, _ := strings.Cut(strings.TrimPrefix(entry.SK, k.EntryPrefix(p)), ".")
	column, _, _ = strings.Cut(column, "~")
	return tracker.Column(column)
}

// EntryPrefix begins the sort keys of all index entries of an issue, and of no other of its items.
func (k Keys) EntryPrefix(p tracker.ProjectID) string { return k.pk("xvalue", string(p)+".") }

// ParseIssue reads the id from the partition key of an issue.
func (k Keys) ParseIssue(pk string) (tracker.IssueID, bool) {
	rest, ok := strings.CutPrefix(pk, string(k.Tenant)+"/issue-")
	if !ok {
		return tracker.IssueID{}, false
	}
	project, issue, ok := strings.Cut(rest, ".")
	id := tracker.IssueID{Project: tracker.ProjectID(project), Issue: issue}
	return id, ok && id.Valid()
}

// ParseHistory reads the version, and the number of the item in its entry, from the sort key of an item of an
// issue's history.
func (k Keys) ParseHistory(id tracker.IssueID, sk string) (version int64, n int, ok bool) {
	parts := strings.Split(sk, ".")
	if len(parts) != 3 {
		return 0, 0, false
	}
	version, versionErr := strconv.ParseInt(parts[1], 10, 64)
	n, err := strconv.Atoi(parts[2])
	return version, n, versionErr == nil && err == nil && sk == k.History(id, version, n).SK
}

// ParseProject reads the id from the partition key of a project.
func (k Keys) ParseProject(pk string) (tracker.ProjectID, bool) {
	rest, ok := strings.CutPrefix(pk, string(k.Tenant)+"/project-")
	return tracker.ProjectID(rest), ok && tracker.ValidID(rest)
}

// ParseTenant reads the id from the partition key of a tenant.
func ParseTenant(pk string) (tracker.TenantID, bool) {
	tenant, rest, ok := strings.Cut(pk, "/tenant-")
	return tracker.TenantID(tenant), ok && tenant == rest && tracker.ValidID(tenant)
}
