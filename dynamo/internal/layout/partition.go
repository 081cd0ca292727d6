package layout

import (
	"strconv"
	"strings"

	"issuegrid/tracker"
)

// PartitionKind is the kind of a table partition.
type PartitionKind uint8

// The kinds of table partitions. A new kind, and a new form of sort key in a kind, must be added here,
// because `check` reports unknown items.
const (
	PartitionUnknown PartitionKind = iota
	PartitionTenant
	PartitionProject
	PartitionIssue
	PartitionGuard
	PartitionFieldGuard
	PartitionOnce
	PartitionTenantName
	PartitionUpload
	PartitionUser
	PartitionTeam
	PartitionPeopleGuard
	PartitionActivity
)

// Partition is a parsed partition key.
type Partition struct {
	pk      string
	Kind    PartitionKind
	Tenant  tracker.TenantID
	Project tracker.ProjectID // of a project, its activity, an issue, or the guard of a field's name
	Issue   tracker.IssueID
	Key     string // of a guard: the project's key
	OfTeam  bool   // of a guard of people: whether it is that of a team
}

// ParsePartition parses a partition key. The kind is PartitionUnknown unless a constructor of Keys can return
// the key. The tenant is the part before the first slash, also of an invalid key.
func ParsePartition(pk string) Partition {
	tenant, rest, _ := strings.Cut(pk, "/")
	p := Partition{pk: pk, Tenant: tracker.TenantID(tenant)}
	if hash, ok := strings.CutPrefix(pk, tenantNamePrefix); ok && tracker.ValidID(hash) {
		p.Kind = PartitionTenantName
	}
	if hash, ok := strings.CutPrefix(pk, Keys{}.pk("once", "")); ok && tracker.ValidID(hash) {
		p.Kind = PartitionOnce // of a change of a tenant
	}
	if !tracker.ValidID(tenant) {
		return p
	}
	k := Keys{Tenant: p.Tenant}
	var ok bool
	switch kind, id, _ := strings.Cut(rest, "-"); kind {
	case "tenant":
		if id == tenant {
			p.Kind = PartitionTenant
		}
	case "project":
		if p.Project, ok = k.ParseProject(pk); ok {
			p.Kind = PartitionProject
		}
	case "issue":
		if p.Issue, ok = k.ParseIssue(pk); ok {
			p.Kind, p.Project = PartitionIssue, p.Issue.Project
		}
	case "activity":
		if p.Project, _, ok = ParseActivity(k, pk); ok {
			p.Kind = PartitionActivity
		}
	case "user":
		if _, ok := PeopleOf(k).ParseUser(pk); ok {
			p.Kind = PartitionUser
		}
	case "team":
		if _, ok := PeopleOf(k).ParseTeam(pk); ok {
			p.Kind = PartitionTeam
		}
	case "unique":
		if of, hash, ok := strings.Cut(id, "."); ok && tracker.ValidID(hash) &&
			(of == uniqueEmail || of == uniqueClaim || of == uniqueTeamName) {
			p.Kind, p.OfTeam = PartitionPeopleGuard, of == uniqueTeamName
			break
		}
		if p.Key, ok = strings.CutPrefix(id, "projectkey."); ok && tracker.CheckProjectKey("", p.Key) == nil {
			p.Kind = PartitionGuard
			break
		}
		rest, named := strings.CutPrefix(id, "fieldname.")
		if project, hash, ok := strings.Cut(rest, "."); named && ok && tracker.ValidID(project) &&
			tracker.ValidID(hash) {
			p.Kind, p.Project = PartitionFieldGuard, tracker.ProjectID(project)
		}
	case "once":
		if tracker.ValidID(id) {
			p.Kind = PartitionOnce
		}
	case "upload":
		if tracker.ValidID(id) {
			p.Kind = PartitionUpload
		}
	}
	return p
}

// ParseField returns the id of the field in the sort key of its definition.
func (k Keys) ParseField(p tracker.ProjectID, sk string) (tracker.FieldID, bool) {
	rest, ok := strings.CutPrefix(sk, k.Field(p, "").SK)
	return tracker.FieldID(rest), ok && tracker.FieldID(rest).Valid()
}

// ParsePart returns the column and the ID of the long text, and the number of the part, in the sort key of a
// part.
func (k Keys) ParsePart(p tracker.ProjectID, sk string) (name TextName, n int, ok bool) {
	rest, ok := strings.CutPrefix(sk, k.pk("xtext", string(p)+"."))
	parts := strings.Split(rest, ".")
	if !ok || len(parts) != 3 || !tracker.ValidID(parts[1]) {
		return TextName{}, 0, false
	}
	name = TextName{tracker.Column(parts[0]), parts[1]}
	n, err := strconv.Atoi(parts[2])
	valid := name.Column == tracker.ColumnDescription || name.Column.Field().Valid()
	return name, n, valid && err == nil && n >= 0 && strconv.Itoa(n) == parts[2]
}
