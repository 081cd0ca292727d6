package dynamo

import (
	"fmt"
	"strconv"
	"strings"

	"issuegrid/tracker"
)

// The attributes of the keys, and the name of the one index.
const (
	attrPK    = "PK"
	attrSK    = "SK"
	attrSS    = "SS"
	attrHas   = "has"
	indexName = "grid"
)

// tenantsPartition is the index partition of all tenants, the one that does not begin with a tenant.
const tenantsPartition = "tenants"

// Key is the primary key of an item.
type Key struct{ PK, SK string }

// keys builds the keys of one tenant and of no other: every partition key, the table's and the index's, begins with it
// (I1). One constructor for each shape of key, and one parser where a key is ever read back.
type keys struct{ tenant tracker.TenantID }

func (k keys) pk(kind, id string) string { return string(k.tenant) + "/" + kind + "-" + id }

func issuePart(id tracker.IssueID) string { return string(id.Project) + "." + id.Issue }

func (k keys) tenantItem() Key {
	return Key{PK: k.pk("tenant", string(k.tenant)), SK: tenantsPartition}
}

// projects is the index partition of the tenant's projects.
func (k keys) projects() string { return k.pk("tenant", string(k.tenant)) }

// project is the table partition of a project, its fields and its counter, and the index partition of its issues.
func (k keys) project(p tracker.ProjectID) string { return k.pk("project", string(p)) }

func (k keys) projectItem(p tracker.ProjectID) Key {
	return Key{PK: k.project(p), SK: k.projects()}
}

func (k keys) field(p tracker.ProjectID, f tracker.FieldID) Key {
	return Key{PK: k.project(p), SK: k.pk("xattrib", string(p)+"."+string(f))}
}

func (k keys) counter(p tracker.ProjectID) Key {
	return Key{PK: k.project(p), SK: k.pk("xcounter", "num")}
}

// fieldNameGuard keeps two fields of a project from having names that differ by case only.
func (k keys) fieldNameGuard(p tracker.ProjectID, name string) Key {
	return Key{PK: k.pk("unique", "fieldname."+string(p)+"."+tracker.IDFor(tracker.FoldName(name))), SK: "*"}
}

// jobs is the one item with the jobs of a project. It is in the index partition of its tenant's jobs while one of them is open.
func (k keys) jobs(p tracker.ProjectID) Key { return Key{PK: k.project(p), SK: k.openJobs()} }

func (k keys) openJobs() string { return k.pk("xjobs", string(k.tenant)) }

func (k keys) projectKeyGuard(projectKey string) Key {
	return Key{PK: k.pk("unique", "projectkey."+projectKey), SK: "*"}
}

// issue is the table partition of an issue and its index entries.
func (k keys) issue(id tracker.IssueID) string { return k.pk("issue", issuePart(id)) }

func (k keys) issueItem(id tracker.IssueID) Key {
	return Key{PK: k.issue(id), SK: k.project(id.Project)}
}

// column is the index partition of a project's grid in the order of a column.
func (k keys) column(p tracker.ProjectID, c tracker.Column) string {
	if c == tracker.ColumnNum {
		return k.project(p)
	}
	return k.pk("xvalue", string(p)+"."+string(c))
}

// generation is the index partition of a field whose type was changed so many times.
func generation(partition string, gen int64) string {
	if gen == 0 {
		return partition
	}
	return partition + "~" + strconv.FormatInt(gen, 10)
}

// value is an index entry.
func (k keys) value(id tracker.IssueID, c tracker.Column, gen int64) Key {
	return Key{PK: k.issue(id), SK: generation(k.column(id.Project, c), gen)}
}

// member is the index entry of one member of a set: an option's id, or a folded tag.
func (k keys) member(id tracker.IssueID, f *tracker.Field, member string) Key {
	return Key{PK: k.issue(id), SK: generation(k.column(id.Project, f.ID.Column()), f.Gen) + "." + member}
}

// part is the n-th item of a long text, from 0.
func (k keys) part(id tracker.IssueID, c tracker.Column, l tracker.Long, n int) Key {
	return Key{PK: k.issue(id), SK: k.pk("xtext", string(id.Project)+"."+string(c)+"."+l.ID+"."+itoa(n))}
}

// marker is there while the index entries of an issue are written after its document.
func (k keys) marker(id tracker.IssueID) Key {
	return Key{PK: k.issue(id), SK: k.pk("xindexing", string(id.Project))}
}

// history is the n-th item of the entry that a version has in an issue's history. The items of all are in the order of the versions.
func (k keys) history(id tracker.IssueID, version int64, n int) Key {
	return Key{PK: k.issue(id), SK: k.historyPrefix(id.Project) + fmt.Sprintf("%010d.%02d", version, n)}
}

func (k keys) historyPrefix(p tracker.ProjectID) string { return k.pk("xhistory", string(p)+".") }

// trash is an issue that was deleted. It is in the index partition of its project's trash.
func (k keys) trash(id tracker.IssueID) Key {
	return Key{PK: k.issue(id), SK: k.trashOf(id.Project)}
}

func (k keys) trashOf(p tracker.ProjectID) string { return k.pk("xtrash", string(p)) }

// once is what a change that may be made only once leaves under the key that the client gave it.
func (k keys) once(key string) Key {
	return Key{PK: k.pk("once", tracker.IDFor("once", key)), SK: "*"}
}

// columnOf is the column of an index entry.
func (k keys) columnOf(p tracker.ProjectID, entry Key) tracker.Column {
	column, _, _ := strings.Cut(strings.TrimPrefix(entry.SK, k.entries(p)), ".")
	column, _, _ = strings.Cut(column, "~")
	return tracker.Column(column)
}

// entries begins the sort keys of all index entries of an issue, and of no other of its items.
func (k keys) entries(p tracker.ProjectID) string { return k.pk("xvalue", string(p)+".") }

// parseIssue reads the id from the partition key of an issue.
func (k keys) parseIssue(pk string) (tracker.IssueID, bool) {
	rest, ok := strings.CutPrefix(pk, string(k.tenant)+"/issue-")
	if !ok {
		return tracker.IssueID{}, false
	}
	project, issue, ok := strings.Cut(rest, ".")
	id := tracker.IssueID{Project: tracker.ProjectID(project), Issue: issue}
	return id, ok && id.Valid()
}

// parseHistory reads the version from the sort key of an item of a history.
func (k keys) parseHistory(sk string) (version int64, ok bool) {
	rest, ok := strings.CutPrefix(sk, string(k.tenant)+"/xhistory-")
	parts := strings.Split(rest, ".")
	if !ok || len(parts) != 3 {
		return 0, false
	}
	version, err := strconv.ParseInt(parts[1], 10, 64)
	return version, err == nil
}

// parseProject reads the id from the partition key of a project.
func (k keys) parseProject(pk string) (tracker.ProjectID, bool) {
	rest, ok := strings.CutPrefix(pk, string(k.tenant)+"/project-")
	return tracker.ProjectID(rest), ok && tracker.ValidID(rest)
}

// parseTenant reads the id from the partition key of a tenant.
func parseTenant(pk string) (tracker.TenantID, bool) {
	tenant, rest, ok := strings.Cut(pk, "/tenant-")
	return tracker.TenantID(tenant), ok && tenant == rest && tracker.ValidID(tenant)
}
