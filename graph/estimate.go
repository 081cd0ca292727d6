package graph

import (
	"github.com/99designs/gqlgen/graphql"
	"github.com/vektah/gqlparser/v2/ast"
)

// What an operation may cost is estimated before anything is read, in DynamoDB's capacity units, from what it
// asks for: the sizes of its pages, times what it selects below each of their rows. It is what the operation
// costs if every page is full, every row has what is selected, and no filter has to look at rows that it
// leaves out; what an operation really cost is known only behind it (Session.Cost). Long texts of custom
// fields are not in it, because most values have none: guard.Limits.Texts bounds them.
//
// Worked example: `project(id) { issues(first: 100) { totalCount nodes { num description } } }` is 1 for the
// definition, 1 for a Query of the index, 5 for the count, and 100 times 0.5 for the document and 0.5 for a
// long description: 107.
const (
	perItem  = 0.5 // an item of up to 4 KB, read eventually consistent
	perQuery = 1
	perCount = 5 // of up to 10 Queries that count keys
	// perIssueWrite is the smallest change of an issue, and perValueWrite what a value adds: docs/writes.md.
	perIssueWrite = 8
	perValueWrite = 4
	perWrite      = 4 // of a definition
	// perDefinition is a project with its fields, which has up to 4 KB mostly, read consistently.
	perDefinition = 1
)

// pages are the fields that return a connection, with the most rows of a page; one that asks for more is
// refused by its field.
var pages = map[string]float64{
	"Query.tenants": maxListPage, "Tenant.projects": maxListPage, "Project.issues": maxGridPage,
	"Project.trash": maxListPage, "Issue.history": maxListPage,
}

// parallel are the fields that the generated executor resolves in goroutines of their own, side by side with
// their neighbours.
var parallel = map[string]bool{
	"Query.node": true, "Query.nodes": true, "Query.tenant": true, "Query.tenants": true,
	"Query.project": true, "Query.issue": true, "Query.viewer": true,
	"Viewer.tenant": true, "Viewer.readCapacity": true, "Viewer.writeCapacity": true, "Tenant.projects": true,
	"Tenant.viewerCanAdminister": true,
	"Project.tenant":             true, "Project.field": true, "Project.fields": true, "Project.jobs": true,
	"Project.issue": true, "Project.issues": true, "Project.cursorAt": true,
	"Project.trash": true, "Project.viewerCanEdit": true, "Project.viewerCanAdminister": true,
	"IssueConnection.totalCount":          true,
	"IssueConnection.totalCountPrecision": true, "Issue.description": true, "Issue.history": true,
	"Issue.values": true, "TextValue.display": true, "TextValue.text": true,
	"LongTextValue.display": true, "LongTextValue.text": true, "ColumnChange.before": true,
	"ColumnChange.after": true,
}

// Estimate is what an operation may come to, in DynamoDB's capacity units.
type Estimate struct {
	RCU, WCU float64
	// Write reports whether the operation is a mutation.
	Write bool
}

// price is what a part of an operation may come to.
type price struct {
	// reads and writes are in DynamoDB's capacity units.
	reads, writes float64
	// live is how many fields and rows may be resolved side by side, each of which takes some kilobytes of
	// memory until what is below it is there. What is resolved in turn counts as the one that takes most, a
	// list that is written in turn (sequential) as one element.
	live float64
}

// estimate is what an operation may come to.
func estimate(op *graphql.OperationContext) price {
	e := estimator{op.Variables}
	return e.selections([]ast.SelectionSet{op.Operation.SelectionSet}, 0)
}

type estimator struct{ variables map[string]any }

// merged is what is selected under one name: the executor runs it once, however often it is written.
type merged struct {
	field *ast.Field
	below []ast.SelectionSet
}

// selections is what selection sets of one object come to. rows is the size of the page that they are
// selected of; 0 if it is of none.
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
	if most, ok := pages[name]; ok {
		p := e.selections(below, e.size(f, most))
		p.reads += perQuery
		return p
	}
	child := e.selections(below, 0)
	switch name {
	case "Query.node", "Query.tenant", "Query.project", "Query.issue", "Project.issue", "Project.cursorAt",
		"Project.tenant", "Viewer.tenant":
		child.reads += perQuery
		return child
	case "Query.nodes":
		return child.times(float64(length(f.ArgumentMap(e.variables)["ids"])), perQuery)
	case "Project.fields", "Project.field", "Project.jobs":
		child.reads += perDefinition
		return child
	case "IssueConnection.totalCount":
		return price{reads: perCount}
	case "Issue.description":
		return price{reads: perItem}
	}
	if f.ObjectDefinition.Name == "Mutation" {
		input, _ := f.ArgumentMap(e.variables)["input"].(map[string]any)
		p := child.times(results(f.Name, input), 0)
		p.writes += written(f.Name, input)
		return p
	}
	if rows > 0 && (f.Name == "nodes" || f.Name == "edges") {
		p := child.times(rows, perItem)
		// only operators list tenants, who have better ways to do harm, and there are few of most
		if f.ObjectDefinition.Name == "TenantConnection" {
			p.live = 1 + child.live
		}
		return p
	}
	return child
}

// times is what a list comes to each of whose elements comes to p, and takes so much to read itself.
func (p price) times(elements, each float64) price {
	return price{elements * (each + p.reads), elements * p.writes, elements * (1 + p.live)}
}

// size is how many rows a page may have.
func (e estimator) size(f *ast.Field, most float64) float64 {
	size, args := float64(defaultPage), f.ArgumentMap(e.variables)
	for _, n := range []string{"first", "last"} {
		if given, ok := integer(args[n]); ok && given >= 0 {
			size = min(given, most)
		} else if args[n] != nil {
			size = most
		}
	}
	return size
}

// written is what a mutation writes.
func written(name string, input map[string]any) float64 {
	issue := func(in any) float64 {
		fields, _ := in.(map[string]any)
		return perIssueWrite + perValueWrite*float64(length(fields["values"]))
	}
	switch name {
	case "createIssue":
		return issue(input["issue"])
	case "createIssues":
		sum := 0.0
		all, _ := input["issues"].([]any)
		for _, in := range all {
			sum += issue(in)
		}
		return sum
	case "updateIssue":
		return issue(input)
	case "updateIssues":
		return float64(length(input["ids"])) * issue(input["change"])
	case "deleteIssue", "restoreIssue":
		return perIssueWrite
	case "deleteIssues":
		return float64(length(input["ids"])) * perIssueWrite
	}
	return perWrite
}

// results is how many issues a mutation answers with.
func results(name string, input map[string]any) float64 {
	switch name {
	case "createIssues":
		return float64(length(input["issues"]))
	case "updateIssues", "deleteIssues":
		return float64(length(input["ids"]))
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
	return 1 // one value stands for a list of one
}

// integer reads an integer as a variable or a literal gives it.
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
