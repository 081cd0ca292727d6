package dynamo

import (
	"strconv"
	"strings"

	"issuegrid/tracker"
)

// placeKind says of what a table partition is.
type placeKind uint8

// The kinds of table partitions. Whoever adds one, or another shape of sort key to one, adds it here too: `check` reports what it does not know.
const (
	placeUnknown placeKind = iota
	placeTenant
	placeProject
	placeIssue
	placeGuard
	placeFieldGuard
	placeOnce
)

// place is what a partition key says.
type place struct {
	pk      string
	kind    placeKind
	tenant  tracker.TenantID
	project tracker.ProjectID // of a project, an issue, or the guard of a field's name
	issue   tracker.IssueID
	key     string // of a guard: the project's key
}

// parsePlace reads a partition key. The kind is placeUnknown unless the constructors of keys can have made it; the tenant is what stands in its place.
func parsePlace(pk string) place {
	tenant, rest, _ := strings.Cut(pk, "/")
	p := place{pk: pk, tenant: tracker.TenantID(tenant)}
	if !tracker.ValidID(tenant) {
		return p
	}
	k := keys{tenant: p.tenant}
	var ok bool
	switch kind, id, _ := strings.Cut(rest, "-"); kind {
	case "tenant":
		if id == tenant {
			p.kind = placeTenant
		}
	case "project":
		if p.project, ok = k.parseProject(pk); ok {
			p.kind = placeProject
		}
	case "issue":
		if p.issue, ok = k.parseIssue(pk); ok {
			p.kind, p.project = placeIssue, p.issue.Project
		}
	case "unique":
		if p.key, ok = strings.CutPrefix(id, "projectkey."); ok && tracker.CheckProjectKey("", p.key) == nil {
			p.kind = placeGuard
			break
		}
		rest, named := strings.CutPrefix(id, "fieldname.")
		if project, hash, ok := strings.Cut(rest, "."); named && ok && tracker.ValidID(project) && tracker.ValidID(hash) {
			p.kind, p.project = placeFieldGuard, tracker.ProjectID(project)
		}
	case "once":
		if tracker.ValidID(id) {
			p.kind = placeOnce
		}
	}
	return p
}

// parseField reads the id of a field from the sort key of its definition.
func (k keys) parseField(p tracker.ProjectID, sk string) (tracker.FieldID, bool) {
	rest, ok := strings.CutPrefix(sk, k.field(p, "").SK)
	return tracker.FieldID(rest), ok && tracker.FieldID(rest).Valid()
}

// parsePart reads the column and the ID of a long text, and the number of the part, from the sort key of a part.
func (k keys) parsePart(p tracker.ProjectID, sk string) (name textName, n int, ok bool) {
	rest, ok := strings.CutPrefix(sk, k.pk("xtext", string(p)+"."))
	parts := strings.Split(rest, ".")
	if !ok || len(parts) != 3 || !tracker.ValidID(parts[1]) {
		return textName{}, 0, false
	}
	name = textName{tracker.Column(parts[0]), parts[1]}
	n, err := strconv.Atoi(parts[2])
	valid := name.column == tracker.ColumnDescription || name.column.Field().Valid()
	return name, n, valid && err == nil && n >= 0 && itoa(n) == parts[2]
}

// historyOf is parseHistory for the issues of one project, and refuses what the constructor does not make.
func (k keys) historyOf(id tracker.IssueID, sk string) (version int64, n int, ok bool) {
	version, ok = k.parseHistory(sk)
	n, err := strconv.Atoi(sk[strings.LastIndexByte(sk, '.')+1:])
	return version, n, ok && err == nil && sk == k.history(id, version, n).SK
}
