package dynamo

import (
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

// value is an index entry, and the first part of a long text.
func (k keys) value(id tracker.IssueID, c tracker.Column) Key {
	return Key{PK: k.issue(id), SK: k.column(id.Project, c)}
}

// member is the index entry of one member of a set: an option's id, or a folded tag.
func (k keys) member(id tracker.IssueID, f tracker.FieldID, member string) Key {
	return Key{PK: k.issue(id), SK: k.column(id.Project, f.Column()) + "." + member}
}

// part is the n-th item of a long text, from 0.
func (k keys) part(id tracker.IssueID, c tracker.Column, n int) Key {
	key := k.value(id, c)
	if n > 0 {
		key.SK += "." + itoa(n)
	}
	return key
}

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
