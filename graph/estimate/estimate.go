// Package estimate estimates the cost of an operation before anything is read, in DynamoDB capacity units,
// from the sizes of its pages and the selection below each row. The estimate assumes that every page is full,
// that every row has a value for everything selected, and that no filter reads rows that it then excludes.
// The actual cost is known only after the operation. Long texts of custom fields are not included, because
// most values have none; guard.Limits.Texts limits them.
//
// Worked example: `project(id) { issues(first: 100) { totalCount nodes { num description } } }` costs 1 for
// the definition, 1 for a Query of the index, 5 for the count, and for each of 100 rows 0.5 for the document
// and 0.5 for a long description: 107.
package estimate

import (
	"github.com/99designs/gqlgen/graphql"
	"github.com/vektah/gqlparser/v2/ast"

	"issuegrid/grid"
	"issuegrid/tracker"
)

// The sizes of the pages of connections: the default, that of groups, and the maximum of grids and of lists.
const (
	DefaultPage   = 50
	DefaultGroups = 20
	MaxGridPage   = 500
	MaxListPage   = 100
)

// The cost of a part of an operation, in DynamoDB capacity units.
const (
	PerItem  = 0.5 // an eventually consistent read of up to 4 KB
	PerQuery = 1
	// PerDefinition is a consistent read of a project with its fields, which is usually at most 4 KB.
	PerDefinition = 1

	perView  = 4 // consistent reads of the keys that it can have, and of the default
	perCount = 5 // many Queries that count keys
	// summaryParts is the number of parts of a summary, which are read in parallel.
	summaryParts = 10
	// perIssueWrite is the smallest change of an issue, and perValueWrite the cost that each value adds; see
	// docs/writes.md.
	perIssueWrite = 10
	perValueWrite = 4
	// perParticipant is the cost that a new participant adds to a change: three index entries.
	perParticipant = 9
	perWrite       = 4 // of a definition
	// perComment is the cost of a comment with all entries; perReaction that of a reaction.
	perComment  = 18
	perReaction = 6
	perEdits    = 10 // of a comment; few have been edited often
)

// Cost is the estimated cost of an operation or a part of one.
type Cost struct {
	// Reads and Writes are in DynamoDB capacity units.
	Reads, Writes float64
	// Live is the number of fields and rows that may be resolved in parallel. Each holds some kilobytes of
	// memory until the fields below it are resolved. For fields resolved sequentially only the largest
	// counts. A list written sequentially (graph/batching.go) counts as one element.
	Live float64
	// names is the number of options that each field of a list looks up by name. It is converted to Live
	// (withNames) where the length of the list is known.
	names float64
	// shared is what is read at most once for all elements of a list in memory (each): the definition of
	// their project. It is added to Reads where objects may belong to different projects.
	shared float64
}

// perName is what a look-up of an option by name counts as in Live: a goroutine, and probably an error.
const perName = 5

// withNames converts the names of a list of fields to Live.
func (p Cost) withNames(fields float64) Cost {
	p.Live, p.names = p.Live+fields*perName*p.names, 0
	return p
}

// each returns the cost of a list in memory, of which each element costs p. Its length is a maximum that few
// lists have, so only what it reads and its names are multiplied: few operations read below such a list, but
// many resolve something there.
func (p Cost) each(elements float64) Cost {
	p = p.withNames(elements)
	p.Reads *= elements
	return p
}

// Of returns the estimated cost of an operation.
func Of(op *graphql.OperationContext) Cost {
	e := estimator{variables: op.Variables}
	p := e.selections([]ast.SelectionSet{op.Operation.SelectionSet}, 0).withNames(1)
	p.Reads, p.shared = p.Reads+p.shared, 0
	return p
}

type estimator struct {
	variables map[string]any
	ways      float64 // of the list of issues of participants that a selection is below
}

// merged is the merged selection of one response key: the executor resolves it once, however often the key
// occurs.
type merged struct {
	field *ast.Field
	below []ast.SelectionSet
}

// selections returns the cost of the selection sets of one object. rows is the page size if the object is a
// connection, and otherwise 0.
func (e estimator) selections(sets []ast.SelectionSet, rows float64) (sum Cost) {
	all := map[string]*merged{}
	var collect func(set ast.SelectionSet)
	collect = func(set ast.SelectionSet) {
		for _, s := range set {
			switch s := s.(type) {
			case *ast.Field:
				if s.ObjectDefinition == nil /* __typename */ || e.skips(s.Directives) {
					continue
				}
				name := s.ObjectDefinition.Name + "." + s.Alias
				if all[name] == nil {
					all[name] = &merged{field: s}
				}
				all[name].below = append(all[name].below, s.SelectionSet)
			case *ast.InlineFragment:
				if !e.skips(s.Directives) {
					collect(s.SelectionSet)
				}
			case *ast.FragmentSpread:
				if !e.skips(s.Directives) {
					collect(s.Definition.SelectionSet)
				}
			}
		}
	}
	for _, set := range sets {
		collect(set)
	}
	sequential := 0.0
	for _, m := range all {
		p := e.field(m.field, m.below, rows)
		sum.Reads += p.Reads
		sum.Writes += p.Writes
		sum.names += p.names
		sum.shared += p.shared
		if parallel[nameOf(m.field)] {
			sum.Live += 1 + p.Live
		} else {
			sequential = max(sequential, p.Live)
		}
	}
	sum.Live += sequential
	return sum
}

// skips reports whether the directives of a selection leave it out.
func (e estimator) skips(all ast.DirectiveList) bool {
	when := func(name string) (condition, given bool) {
		d := all.ForName(name)
		if d == nil {
			return false, false
		}
		condition, given = d.ArgumentMap(e.variables)["if"].(bool)
		return condition, given
	}
	skip, _ := when("skip")
	include, given := when("include")
	return skip || given && !include
}

// groups reports whether a field returns groups of issues.
func groups(f *ast.Field) bool { return f.Definition.Type.Name() == "IssueGroupConnection" }

// ways returns the maximum number of ways in which a list of issues of participants searches; 0 for any other
// field.
func ways(f *ast.Field, arguments map[string]any) float64 {
	if f.Definition.Type.Name() != "ParticipationConnection" {
		return 0
	}
	participants := 1.0
	if teams, _ := arguments["teams"].(bool); teams {
		participants += tracker.MaxTeams
	}
	n := participants * min(float64(length(arguments["roles"])), 3)
	if arguments["status"] == "ALL" {
		n *= 2
	}
	return n
}

func nameOf(f *ast.Field) string { return f.ObjectDefinition.Name + "." + f.Name }

func (e estimator) field(f *ast.Field, below []ast.SelectionSet, rows float64) Cost {
	name := nameOf(f)
	arguments := f.ArgumentMap(e.variables)
	consistent, _ := arguments["consistent"].(bool)
	if most, ok := largestPage(f); ok {
		size := e.size(f, most)
		if keys, ok := arguments["keys"]; ok && keys != nil {
			size = float64(length(keys))
		}
		e.ways = ways(f, arguments)
		p := e.selections(below, size)
		if p.Reads += PerQuery; groups(f) {
			p.Reads += size * PerQuery // to find the next one
		}
		if consistent {
			p.Reads += size * PerItem
		}
		if name == "Issue.comments" && arguments["where"] != nil { // entries, and then comments
			p.Reads += tracker.MaxRating*PerQuery + size*PerItem
		}
		if name == "Viewer.views" { // each may be in another project
			p.Reads += size * (PerQuery + PerDefinition)
		}
		if e.ways > 0 { // likewise
			p.Reads += (e.ways-1)*PerQuery + size*PerDefinition
			p.Live += e.ways
		}
		return p
	}
	child := e.selections(below, 0)
	if cost, ok := comments(name, arguments, child); ok {
		return cost
	}
	switch name {
	case "Query.node", "Query.tenant", "Query.project", "Query.issue", "Query.issueByKey", "Query.job",
		"Viewer.projectByKey", "Tenant.projectByKey", "Project.issueByNum", "Project.cursorAt",
		"Project.cursorAtIssue",
		"Project.tenant", "Viewer.tenant", "Viewer.user":
		child.Reads += PerQuery
		if arguments["key"] != nil { // looked up first
			child.Reads += PerQuery
		}
		return child
	case "Project.view", "Project.defaultView":
		child.Reads += perView
		return child
	case "DeleteIssuePayload.purgeAt", "DeleteIssueResult.purgeAt": // read consistently
		child.Reads += 2 * PerItem
		return child
	case "UpdateStatePayload.job", "MoveStatePayload.job", "MergeStatesPayload.job", "MoveOptionPayload.job",
		"MergeOptionsPayload.job", "DeleteCustomFieldPayload.job":
		child.Reads += PerDefinition
		return child
	case "User.teams":
		child.Reads += PerItem
		return child.each(tracker.MaxTeams)
	case "Team.members":
		child.Reads += PerItem
		return child.each(tracker.MaxMembers)
	case "Issue.assignees", "Issue.watchers":
		child.Reads += PerItem
		first, ok := integer(arguments["first"])
		if !ok || first < 0 || first > tracker.MaxParticipants {
			first = tracker.MaxParticipants
		}
		return child.each(first)
	case "Issue.author", "Issue.lastEditor", "UserValue.user", "Actor.user", "Activity.issue":
		child.Reads += PerItem
		return child
	case "Activity.change", "Activity.comment": // a consistent read, and the issue
		child.Reads += 3 * PerItem
		return child
	case "ParticipationEdge.ways":
		return child.each(e.ways)
	case "Participation.participant":
		child.Reads += PerItem
		return child
	case "ParticipationConnection.totalCount", "ParticipationConnection.totalCountPrecision":
		return Cost{Reads: perCount + e.ways*PerQuery}
	case "View.columns", "View.summaries":
		return child.each(tracker.MaxViewColumns)
	case "View.orderBy", "View.groupBy":
		return child.each(grid.MaxColumns)
	case "Query.nodes":
		return child.times(float64(length(arguments["ids"])), PerQuery)
	case "Project.fields", "Project.field", "Project.fieldByName", "Project.stateByName", "Project.jobs":
		if name == "Project.fields" {
			child = child.each(tracker.MaxFields)
		}
		child.shared += PerDefinition
		return child
	case "Issue.values":
		if fields := arguments["fieldIds"]; fields != nil {
			return child.each(float64(length(fields)))
		}
		return child.each(tracker.MaxFields)
	case "CustomField.optionByName":
		child.names++
		return child
	case "IssueConnection.totalCount", "IssueConnection.totalCountCursor", "TenantConnection.totalCount",
		"ProjectConnection.totalCount", "DeletedIssueConnection.totalCount",
		"ProjectChangeConnection.totalCount", "DeletedProjectConnection.totalCount",
		"ActivityConnection.totalCount",
		"ViewConnection.totalCount", "UserConnection.totalCount", "TeamConnection.totalCount",
		"IssueGroup.totalCount", "IssueGroup.totalCountPrecision",
		"ColumnSummary.filled", "ColumnSummary.empty", "ColumnSummary.distinct",
		"ColumnSummary.sum", "ColumnSummary.average", "ColumnSummary.median", "ColumnSummary.checked":
		return Cost{Reads: perCount}
	case "ColumnSummary.percentChecked":
		return Cost{Reads: 2 * perCount}
	case "IssueConnection.summary", "IssueGroup.summary":
		child.Live += summaryParts
		return child
	case "IssueGroupConnection.totalCount", "IssueGroupConnection.totalCountPrecision":
		return Cost{Reads: 20 * perCount}
	case "ColumnSummary.min", "ColumnSummary.max":
		return Cost{Reads: PerQuery + PerItem}
	case "IssueChangeConnection.totalCount":
		return Cost{Reads: PerQuery}
	case "Issue.description":
		return Cost{Reads: PerItem}
	}
	if f.ObjectDefinition.Name == "Mutation" {
		input, _ := arguments["input"].(map[string]any)
		p := child.times(results(f.Name, input), 0)
		p.Writes += written(f.Name, input)
		return p
	}
	if rows > 0 && (f.Name == "nodes" || f.Name == "edges") {
		p := child.times(rows, PerItem)
		// only operators can list tenants, and most installations have few tenants
		if f.ObjectDefinition.Name == "TenantConnection" {
			p.Live = 1 + child.Live
		}
		return p
	}
	return child
}

// times returns the cost of a list whose elements each cost p, plus the given read capacity units.
func (p Cost) times(elements, each float64) Cost {
	p = p.withNames(1)
	return Cost{Reads: elements * (each + p.Reads + p.shared), Writes: elements * p.Writes,
		Live: elements * (1 + p.Live)}
}

// size returns the page size of a connection, up to limit.
func (e estimator) size(f *ast.Field, limit float64) float64 {
	size, args := float64(DefaultPage), f.ArgumentMap(e.variables)
	if groups(f) {
		size = DefaultGroups
	}
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
		sum := perIssueWrite + perValueWrite*float64(length(fields["values"]))
		participants := length(fields["assigneeIds"]) + length(fields["watcherIds"])
		for _, name := range []string{"assignees", "watchers"} {
			change, _ := fields[name].(map[string]any)
			participants += length(change["addIds"]) + length(change["removeIds"])
		}
		return sum + perParticipant*float64(participants)
	}
	switch name {
	case "createIssue", "updateIssue":
		return issue(input["issue"])
	case "createIssues", "updateIssues":
		sum := 0.0
		for _, in := range graphql.CoerceList(input["issues"]) {
			sum += issue(in)
		}
		return sum
	case "deleteIssue", "restoreIssue":
		return perIssueWrite
	case "createComment", "updateComment":
		body, _ := input["body"].(string)
		return perComment + float64(len(body)/1024) + perParticipant*float64(length(input["mentionIds"]))
	case "deleteComment":
		return perComment
	case "addReaction", "removeReaction":
		return perReaction
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
