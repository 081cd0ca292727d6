package graph

import (
	"github.com/99designs/gqlgen/graphql"
	"github.com/vektah/gqlparser/v2/ast"

	"issuegrid/tracker"
)

// The cost of an operation is estimated before anything is read, in DynamoDB capacity units, from the sizes
// of its pages and the selection below each row. The estimate assumes that every page is full, that every row
// has a value for everything selected, and that no filter reads rows that it then excludes. The actual cost
// is known only after the operation (Session.Cost). Long texts of custom fields are not included, because
// most values have none; guard.Limits.Texts limits them.
//
// Worked example: `project(id) { issues(first: 100) { totalCount nodes { num description } } }` costs 1 for
// the definition, 1 for a Query of the index, 5 for the count, and for each of 100 rows 0.5 for the document
// and 0.5 for a long description: 107.
const (
	perItem  = 0.5 // an eventually consistent read of up to 4 KB
	perQuery = 1
	perCount = 5 // many Queries that count keys
	// perIssueWrite is the smallest change of an issue, and perValueWrite the cost that each value adds; see
	// docs/writes.md.
	perIssueWrite = 8
	perValueWrite = 4
	perWrite      = 4 // of a definition
	// perDefinition is a consistent read of a project with its fields, which is usually at most 4 KB.
	perDefinition = 1
)

// pages has the fields that return a connection, with the maximum page size. A field refuses a larger page.
var pages = map[string]float64{
	"Query.tenants": maxListPage, "Tenant.projects": maxListPage, "Project.issues": maxGridPage,
	"Tenant.deletedProjects": maxListPage, "Project.trash": maxListPage, "Issue.history": maxListPage,
	"Project.history": maxListPage,
}

// parallel has the fields that the generated executor resolves in separate goroutines, in parallel with their
// siblings.
var parallel = map[string]bool{
	"Query.node": true, "Query.nodes": true, "Query.tenant": true, "Query.tenants": true,
	"Query.project": true, "Query.issue": true, "Query.viewer": true,
	"Viewer.tenant": true, "Viewer.readCapacity": true, "Viewer.writeCapacity": true, "Tenant.projects": true,
	"Viewer.project": true, "Tenant.project": true, "Project.state": true,
	"Tenant.deletedProjects":     true,
	"CustomField.option":         true,
	"Tenant.viewerCanAdminister": true,
	"Project.tenant":             true, "Project.field": true, "Project.fields": true, "Project.jobs": true,
	"Project.issue": true, "Project.issues": true, "Project.cursorAt": true,
	"Project.history": true, "Project.trash": true,
	"Project.viewerCanEdit": true, "Project.viewerCanAdminister": true,
	"IssueConnection.totalCount": true, "IssueConnection.totalCountPrecision": true,
	"IssueConnection.totalCountCursor": true,
	"TenantConnection.totalCount":      true, "TenantConnection.totalCountPrecision": true,
	"ProjectConnection.totalCount": true, "ProjectConnection.totalCountPrecision": true,
	"DeletedProjectConnection.totalCount": true, "DeletedProjectConnection.totalCountPrecision": true,
	"TrashedIssueConnection.totalCount": true, "TrashedIssueConnection.totalCountPrecision": true,
	"IssueChangeConnection.totalCount": true, "IssueChangeConnection.totalCountPrecision": true,
	"ProjectChangeConnection.totalCount": true, "ProjectChangeConnection.totalCountPrecision": true,
	"Issue.description": true, "Issue.history": true,
	"Issue.values": true, "TextValue.display": true, "TextValue.text": true,
	"LongTextValue.display": true, "LongTextValue.text": true, "ColumnChange.before": true,
	"ColumnChange.after": true,
}

// Estimate is the estimated cost of an operation, in DynamoDB capacity units.
type Estimate struct {
	RCU, WCU float64
	// Write reports whether the operation is a mutation.
	Write bool
}

// price is the estimated cost of a part of an operation.
type price struct {
	// reads and writes are in DynamoDB capacity units.
	reads, writes float64
	// live is the number of fields and rows that may be resolved in parallel. Each holds some kilobytes of
	// memory until the fields below it are resolved. For fields resolved sequentially only the largest
	// counts. A list written sequentially (type sequential) counts as one element.
	live float64
	// names is the number of options that each field of a list looks up by name. It is converted to live
	// (withNames) where the length of the list is known.
	names float64
}

// perName is what a look-up of an option by name counts as in live: a goroutine, and probably an error.
const perName = 5

// withNames converts the names of a list of fields to live.
func (p price) withNames(fields float64) price {
	p.live, p.names = p.live+fields*perName*p.names, 0
	return p
}

// estimate returns the estimated cost of an operation.
func estimate(op *graphql.OperationContext) price {
	e := estimator{op.Variables}
	return e.selections([]ast.SelectionSet{op.Operation.SelectionSet}, 0).withNames(1)
}

type estimator struct{ variables map[string]any }

// merged is the merged selection of one response key: the executor resolves it once, however often the key
// occurs.
type merged struct {
	field *ast.Field
	below []ast.SelectionSet
}

// selections returns the cost of the selection sets of one object. rows is the page size if the object is a
// connection, and otherwise 0.
func (e estimator) selections(sets []ast.SelectionSet, rows float64) (sum price) {
	all := map[string]*merged{}
	var collect func(set ast.SelectionSet)
	collect = func(set ast.SelectionSet) {
		for _, s := range set {
			switch s := s.(type) {
			case *ast.Field:
				if s.ObjectDefinition == nil { // __typename
					continue
				}
				name := s.ObjectDefinition.Name + "." + s.Alias
				if all[name] == nil {
					all[name] = &merged{field: s}
				}
				all[name].below = append(all[name].below, s.SelectionSet)
			case *ast.InlineFragment:
				collect(s.SelectionSet)
			case *ast.FragmentSpread:
				collect(s.Definition.SelectionSet)
			}
		}
	}
	for _, set := range sets {
		collect(set)
	}
	sequential := 0.0
	for _, m := range all {
		p := e.field(m.field, m.below, rows)
		sum.reads += p.reads
		sum.writes += p.writes
		sum.names += p.names
		if parallel[nameOf(m.field)] {
			sum.live += 1 + p.live
		} else {
			sequential = max(sequential, p.live)
		}
	}
	sum.live += sequential
	return sum
}

func nameOf(f *ast.Field) string { return f.ObjectDefinition.Name + "." + f.Name }

func (e estimator) field(f *ast.Field, below []ast.SelectionSet, rows float64) price {
	name := nameOf(f)
	arguments := f.ArgumentMap(e.variables)
	consistent, _ := arguments["consistent"].(bool)
	if most, ok := pages[name]; ok {
		size := e.size(f, most)
		p := e.selections(below, size)
		p.reads += perQuery
		if consistent {
			p.reads += size * perItem
		}
		return p
	}
	child := e.selections(below, 0)
	switch name {
	case "Query.node", "Query.tenant", "Query.project", "Query.issue", "Viewer.project", "Tenant.project",
		"Project.issue", "Project.cursorAt", "Project.tenant", "Viewer.tenant":
		child.reads += perQuery
		if arguments["key"] != nil { // looked up first
			child.reads += perQuery
		}
		return child
	case "Query.nodes":
		return child.times(float64(length(arguments["ids"])), perQuery)
	case "Project.fields", "Project.field", "Project.state", "Project.jobs":
		child.reads += perDefinition
		if name == "Project.fields" {
			return child.withNames(tracker.MaxFields)
		}
		return child
	case "Issue.values":
		return child.withNames(tracker.MaxFields)
	case "CustomField.option":
		child.names++
		return child
	case "IssueConnection.totalCount", "IssueConnection.totalCountCursor", "TenantConnection.totalCount",
		"ProjectConnection.totalCount", "TrashedIssueConnection.totalCount",
		"ProjectChangeConnection.totalCount", "DeletedProjectConnection.totalCount":
		return price{reads: perCount}
	case "IssueChangeConnection.totalCount":
		return price{reads: perQuery}
	case "Issue.description":
		return price{reads: perItem}
	}
	if f.ObjectDefinition.Name == "Mutation" {
		input, _ := arguments["input"].(map[string]any)
		p := child.times(results(f.Name, input), 0)
		p.writes += written(f.Name, input)
		return p
	}
	if rows > 0 && (f.Name == "nodes" || f.Name == "edges") {
		p := child.times(rows, perItem)
		// only operators can list tenants, and most installations have few tenants
		if f.ObjectDefinition.Name == "TenantConnection" {
			p.live = 1 + child.live
		}
		return p
	}
	return child
}

// times returns the cost of a list whose elements each cost p, plus the given read capacity units.
func (p price) times(elements, each float64) price {
	p = p.withNames(1)
	return price{reads: elements * (each + p.reads), writes: elements * p.writes,
		live: elements * (1 + p.live)}
}

// size returns the page size of a connection, up to limit.
func (e estimator) size(f *ast.Field, limit float64) float64 {
	size, args := float64(defaultPage), f.ArgumentMap(e.variables)
	for _, n := range []string{"first", "last"} {
		if given, ok := integer(args[n]); ok && given >= 0 {
			size = min(given, limit)
		} else if args[n] != nil {
			size = limit
		}
	}
	return size
}

// written returns the estimated write capacity units of a mutation.
func written(name string, input map[string]any) float64 {
	issue := func(in any) float64 {
		fields, _ := in.(map[string]any)
		return perIssueWrite + perValueWrite*float64(length(fields["values"]))
	}
	switch name {
	case "createIssue":
		return issue(input["issue"])
	case "createIssues", "updateIssues":
		sum := 0.0
		for _, in := range graphql.CoerceList(input["issues"]) {
			sum += issue(in)
		}
		return sum
	case "updateIssue":
		return issue(input)
	case "deleteIssue", "restoreIssue":
		return perIssueWrite
	case "deleteIssues":
		return float64(length(input["issues"])) * perIssueWrite
	}
	return perWrite
}

// results returns the number of issues in the response of a mutation.
func results(name string, input map[string]any) float64 {
	switch name {
	case "createIssues", "updateIssues", "deleteIssues":
		return float64(length(input["issues"]))
	}
	return 1
}

func length(list any) int {
	switch list := list.(type) {
	case []any:
		return len(list)
	case nil:
		return 0
	}
	return 1 // GraphQL coerces a single value to a list
}

// integer converts an integer of a variable or a literal.
func integer(v any) (float64, bool) {
	switch v := v.(type) {
	case int64:
		return float64(v), true
	case interface{ Float64() (float64, error) }:
		n, err := v.Float64()
		return n, err == nil
	}
	return 0, false
}
