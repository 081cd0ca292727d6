package graph

import (
	"github.com/99designs/gqlgen/graphql"
	"github.com/vektah/gqlparser/v2/ast"
)

// What an operation may cost is estimated before anything is read, in DynamoDB's capacity units, from what it asks for: the sizes of its pages, times
// what it selects below each of their rows. It is what the operation costs if every page is full, every row has what is selected, and no filter
// has to look at rows that it leaves out; what an operation really cost is known only behind it (Session.Cost). Long texts of custom fields are not in
// it, because most values have none: Limits.Texts bounds them.
//
// Worked example: `project(id) { issues(first: 100) { totalCount nodes { num description } } }` is 1 for the definition, 1 for a Query of the index,
// 5 for the count, and 100 times 0.5 for the document and 0.5 for a long description: 107.
const (
	perItem  = 0.5 // an item of up to 4 KB, read eventually consistent
	perQuery = 1
	perCount = 5 // of up to 10 Queries that count keys
	// perIssueWrite is the smallest change of an issue, and perValueWrite what a value adds: docs/writes.md.
	perIssueWrite = 8
	perValueWrite = 4
	perWrite      = 4 // of a definition
)

// pages are the fields that return a connection, with the most rows of a page; one that asks for more is refused by its field.
var pages = map[string]float64{
	"Query.tenants": maxListPage, "Tenant.projects": maxListPage, "Project.issues": maxGridPage, "Project.trash": maxListPage, "Issue.history": maxListPage,
}

// estimate is what an operation may cost.
func estimate(op *graphql.OperationContext) float64 {
	e := estimator{op.Variables}
	return e.selections([]ast.SelectionSet{op.Operation.SelectionSet}, 0)
}

type estimator struct{ variables map[string]any }

// merged is what is selected under one name: the executor runs it once, however often it is written.
type merged struct {
	field *ast.Field
	below []ast.SelectionSet
}

// selections is what selection sets of one object cost. rows is the size of the page that they are selected of; 0 if it is of none.
func (e estimator) selections(sets []ast.SelectionSet, rows float64) (sum float64) {
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
	for _, m := range all {
		sum += e.field(m.field, m.below, rows)
	}
	return sum
}

func (e estimator) field(f *ast.Field, below []ast.SelectionSet, rows float64) float64 {
	name := f.ObjectDefinition.Name + "." + f.Name
	if most, ok := pages[name]; ok {
		size := float64(defaultPage)
		args := f.ArgumentMap(e.variables)
		for _, n := range []string{"first", "last"} {
			if given, ok := integer(args[n]); ok && given >= 0 {
				size = min(given, most)
			} else if args[n] != nil {
				size = most
			}
		}
		return perQuery + e.selections(below, size)
	}
	child := e.selections(below, 0)
	switch name {
	case "Query.node", "Query.tenant", "Query.project", "Query.issue", "Project.issue", "Project.cursorAt", "Project.tenant", "Viewer.tenant":
		return perQuery + child
	case "Query.nodes":
		return float64(length(f.ArgumentMap(e.variables)["ids"])) * (perQuery + child)
	case "IssueConnection.totalCount":
		return perCount
	case "Issue.description":
		return perItem
	}
	if f.ObjectDefinition.Name == "Mutation" {
		input, _ := f.ArgumentMap(e.variables)["input"].(map[string]any)
		return written(f.Name, input) + child*results(f.Name, input)
	}
	if rows > 0 && (f.Name == "nodes" || f.Name == "edges") {
		return rows * (perItem + child)
	}
	return child
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
