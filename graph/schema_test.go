package graph_test

import (
	"cmp"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/vektah/gqlparser/v2/ast"

	"issuegrid/dynamo"
	"issuegrid/graph/guard/guardtest"
	"issuegrid/grid/filter"
	"issuegrid/multisort"
	"issuegrid/relative"
	"issuegrid/tracker"
)

// schemaFile reads the schema file of the repository.
func schemaFile(t *testing.T) *ast.Schema { return guardtest.SchemaFile(t, "../schema.graphqls") }

// ofOurs returns the types that the schema itself defines, by name.
func ofOurs(schema *ast.Schema) (out []*ast.Definition) {
	for name, d := range schema.Types {
		if !d.BuiltIn && !strings.HasPrefix(name, "__") {
			out = append(out, d)
		}
	}
	slices.SortFunc(out, func(a, b *ast.Definition) int { return cmp.Compare(a.Name, b.Name) })
	return out
}

// described calls what for every part of the schema that must have a description.
func described(schema *ast.Schema, what func(path, description string)) {
	for _, d := range ofOurs(schema) {
		what(d.Name, d.Description)
		for _, f := range d.Fields {
			if strings.HasPrefix(f.Name, "__") {
				continue
			}
			what(d.Name+"."+f.Name, f.Description)
			for _, a := range f.Arguments {
				what(d.Name+"."+f.Name+"."+a.Name, a.Description)
			}
		}
		for _, v := range d.EnumValues {
			what(d.Name+"."+v.Name, v.Description)
		}
	}
}

func TestSchemaDescribesEverything(t *testing.T) {
	n := 0
	described(schemaFile(t), func(path, description string) {
		n++
		if len(description) < 3 || !strings.HasSuffix(strings.TrimSpace(description), ".") {
			t.Errorf("%s is described as %q", path, description)
		}
	})
	if n < 300 {
		t.Errorf("only %d descriptions", n)
	}
}

// TestSchemaStatesTheLimits checks that every limit is stated where it applies, and that every number in a
// description is a limit.
func TestSchemaStatesTheLimits(t *testing.T) {
	thousands := func(n int) string { // formats 2000 as 2,000
		s := fmt.Sprint(n)
		for i := len(s) - 3; i > 0; i -= 3 {
			s = s[:i] + "," + s[i:]
		}
		return s
	}
	if tracker.MaxText != 2<<20 {
		t.Error("the descriptions say 2 MiB")
	}
	number := func(f float64) string { return strings.Replace(fmt.Sprintf("%g", f), "e+", "e", 1) }
	inline := fmt.Sprintf("%d bytes", tracker.MaxInlineText)
	perBatch := "each 100 issues"
	limits := []limitOf{
		{
			`(Tenant|Project|State|CustomField|Option|View|User|Team|(Create|Update)(Tenant|Project|CustomField|View|User|Team)Input|(Add|Update)?(State|Option)Input)\.name`,
			[]string{fmt.Sprintf("1 to %d characters", tracker.MaxName)}},
		{`Issue\.name`, []string{"up to " + thousands(tracker.MaxIssueName) + " characters"}},
		{`(NewIssue|UpdateIssue|IssueChange)Input\.name`,
			[]string{"1 to " + thousands(tracker.MaxIssueName) + " characters"}},
		{`(Project|(Create|Update)ProjectInput)\.key`,
			[]string{fmt.Sprintf("1 to %d characters from A-Z, 0-9 and _", tracker.MaxProjectKey)}},
		{`(View|(Create|Update)ViewInput)\.columns`,
			[]string{fmt.Sprintf("at most %d.", tracker.MaxViewColumns)}},
		{`CreateViewInput\.project`, []string{fmt.Sprintf("%d shared views, and %[1]d private ones",
			tracker.MaxViews)}},
		{`CreateViewInput\.filter`,
			[]string{"At most " + thousands(tracker.MaxViewFilter) + " bytes of JSON"}},
		{`(Create|Update)ViewInput\.summaries`, []string{fmt.Sprintf("at most %d", tracker.MaxViewColumns)}},
		{`(Create|Update)ViewInput\.groupBy`, []string{"up to 2 different columns"}},
		{`View\.groupBy`, []string{"up to 2 levels"}},
		{`View\.groups\.by`, []string{"1 or 2 different columns"}},
		{`(Create|Update)ViewInput\.orderBy`,
			[]string{fmt.Sprintf("up to %d different columns", multisort.MaxColumns)}},
		{`ViewColumnInput\.width`, []string{fmt.Sprintf("%d to %s", tracker.MinViewWidth,
			thousands(tracker.MaxViewWidth))}},
		{`ViewConnection\.totalCount`, []string{"of at most 100 projects"}},
		{`ViewProblem\.path`, []string{"`orderBy[0]`"}},
		{`Project\.states`, []string{fmt.Sprintf("at most %d,", tracker.MaxStates)}},
		{`CreateProjectInput\.states`, []string{fmt.Sprintf("1 to %d states", tracker.MaxStates)}},
		{`CreateProjectInput\.shards`, []string{fmt.Sprintf("1 to %d shards", tracker.MaxShards)}},
		{`Project\.shards`, []string{fmt.Sprintf("1 to %d", tracker.MaxShards)}},
		{`Project\.fields`, []string{fmt.Sprintf("at most %d,", tracker.MaxFields)}},
		{`Mutation\.createCustomField`, []string{fmt.Sprintf("can have %d.", tracker.MaxFields)}},
		{`CreateTenantInput\.claim`,
			[]string{fmt.Sprintf("1 to %d characters from a-z and 0-9", tracker.MaxID)}},
		{`AddStateInput\.project`, []string{fmt.Sprintf("can have %d states", tracker.MaxStates)}},
		{`MergeStatesInput\.from`, []string{fmt.Sprintf("1 to %d states", tracker.MaxStates)}},
		{`MergeCustomFieldOptionsInput\.from`, []string{fmt.Sprintf("1 to %d options", tracker.MaxOptions)}},
		{`Job\.problems`, []string{fmt.Sprintf("The first %d values", tracker.MaxProblems)}},
		{`Job\.progress`, []string{"from 0 to 1", "count from 0"}},
		{`Project\.jobs`, []string{"the last 20"}},
		{`Issue\.values\.fields`, []string{fmt.Sprintf("At most %d ids", tracker.MaxFields)}},
		{`(NewIssue|UpdateIssue|IssueChange)Input\.values`,
			[]string{fmt.Sprintf("at most %d.", tracker.MaxFields)}},
		{`(CustomField|CreateCustomFieldInput|ChangeCustomFieldTypeInput)\.options`,
			[]string{fmt.Sprintf("at most %d,", tracker.MaxOptions)}},
		{`AddOptionInput\.field|UpdateCustomFieldInput\.addOptions`,
			[]string{fmt.Sprintf("can have %d", tracker.MaxOptions)}},
		{`ChangeCustomFieldTypeInput\.createOptions`,
			[]string{fmt.Sprintf("more than %d options", tracker.MaxOptions),
				"more than " + thousands(tracker.MaxCreatedBytes) + " bytes"}},
		{`(CustomField|(Create|Update)CustomFieldInput)\.description`,
			[]string{"t most " + thousands(tracker.MaxDescription) + " characters"}},
		{`Mutation`, []string{"`input.issue.values[3].value.date`"}},
		{`(Create|Update)CustomFieldInput\.position`, []string{"1 to 1,000,000"}},
		{
			`CustomFieldType\.(TEXT|LONG_TEXT)|(NewIssue|UpdateIssue|IssueChange)Input\.description|ValueInput\.text`,
			[]string{"p to 2 MiB"}},
		{`Issue\.description`, []string{"up to 2 MiB", perBatch, "over " + inline}},
		{`Issue\.history`, []string{"each issue costs one more DynamoDB call"}},
		{`(TextValue|LongTextValue)\.text`, []string{"over " + inline, perBatch}},
		{`LongTextValue\.excerpt`, []string{"at most " + inline}},
		{`CustomFieldType\.NUMBER|FloatFilter`,
			[]string{"0 or from " + number(tracker.MinNumber) + " to " + number(tracker.MaxNumber)}},
		{`CustomFieldType\.TAGS|ValueInput\.tags`,
			[]string{fmt.Sprintf("of up to %d characters", tracker.MaxTag),
				fmt.Sprintf("p to %d ", tracker.MaxTags)}},
		{`TagSetFilter`, []string{fmt.Sprintf("1 to %d characters", tracker.MaxTag)}},
		{`TextFilter`, []string{fmt.Sprintf("1 to %d characters", filter.MaxNeedle),
			fmt.Sprintf("at most %d bytes", filter.MaxNeedleBytes)}},
		{`Project\.issues\.where`,
			[]string{fmt.Sprintf("At most %d comparisons", filter.MaxTerms),
				fmt.Sprintf("at most %d levels of nested `and`, `or` and `not`", filter.MaxDepth),
				"at most " + thousands(filter.MaxOperationTerms) + " comparisons",
				thousands(filter.MaxOperandBytes) + " bytes"}},
		{`(Project\.(issues|groups|cursorAt)|View\.(issues|groups))\.orderBy`,
			[]string{fmt.Sprintf("1 to %d different columns", multisort.MaxColumns)}},
		{`CustomFieldType\.USER|ValueInput\.user`,
			[]string{fmt.Sprintf("up to %d characters", tracker.MaxUser)}},
		{`(Project|View|IssueGroup)\.issues\.(first|last)`, []string{"0 to 500"}},
		{`(Query\.tenants|Tenant\.(projects|deletedProjects|users|teams)|(Project|View|IssueGroup)\.groups|Project\.(trash|history|activity|views)|Issue\.(history|comments)|Comment\.replies|Viewer\.(views|issues)|(User|Team)\.issues)\.(first|last)`,
			[]string{"0 to 100."}},
		{`((Project|IssueGroup|View)\.issues|Project\.(trash|history|activity|views)|Query\.tenants|Tenant\.(projects|deletedProjects|users|teams)|Issue\.(history|comments)|Comment\.replies|Viewer\.(views|issues)|(User|Team)\.issues)\.first`,
			[]string{"The default is 50 if `last` is not given."}},
		{`Issue\.(assignees|watchers)\.first`, []string{fmt.Sprintf("0 to %d.", tracker.MaxParticipants)}},
		{`Issue\.(assignee|watcher)Count|(NewIssueInput\.(assignees|watchers)|ParticipantsChangeInput\.(add|remove))`,
			[]string{fmt.Sprintf("at most %d.", tracker.MaxParticipants)}},
		{`Query\.nodes\.ids`, []string{"1 to 500 ids"}},
		{`CreateIssuesInput\.issues`, []string{"1 to 100 issues"}},
		{`Mutation\.createIssues`, []string{"up to 100 issues"}},
		{`Mutation\.(updateIssues|deleteIssues)`, []string{"up to 100 issues"}},
		{`UpdateIssuesInput\.issues`, []string{"1 to 100 changes"}},
		{`DeleteIssuesInput\.issues`, []string{"1 to 100 different issues"}},
		{`(Project|IssueGroup|View)\.issues\.first`, []string{"; 0 returns no rows"}},
		{`(Project|View|IssueGroup)\.groups\.first`, []string{"The default is 20 if `last` is not given."}},
		{`IssueGroupConnection\.totalCount`, []string{"up to 1,000."}},
		{`Project\.groups\.keys`, []string{"1 to 100 keys"}},
		{`Project\.groups\.collapsed`, []string{"At most 500."}},
		{`View\.groups\.collapsed`, []string{"at most 500."}},
		{`Project\.groups\.prefix`, []string{fmt.Sprintf("At most %d characters", filter.MaxNeedle)}},
		{`Mutation\.createIssue`, []string{"over " + inline, "at most 395,000 bytes"}},
		{`Mutation\.delete(Issue|Project)`, []string{fmt.Sprintf("for %d days",
			dynamo.DefaultKeepTrash/(24*time.Hour))}},
		{`.*Input\.idempotencyKey`, []string{fmt.Sprintf("1 to %d characters", tracker.MaxKey),
			"within 24 hours"}},
		{`Conflict\.baseKnown`, []string{"at most 20"}},
		{`UpdateIssueInput\.expectedVersion`, []string{"over " + inline}},
		{`ColumnChange\.before`, []string{"over " + inline, "each 100 of them"}},
		{`(Tenant|Project|TrashedIssue|DeletedProject|User|Team)Connection\.totalCount`, []string{
			fmt.Sprintf("at most %d DynamoDB calls", dynamo.MaxCountQueries), "some 70,000"}},
		{`ActivityConnection\.totalCount`, []string{
			fmt.Sprintf("at most %d DynamoDB calls for each shard", dynamo.MaxCountQueries)}},
		{`ProjectChangeConnection\.totalCount`, []string{
			fmt.Sprintf("at most %d DynamoDB calls", dynamo.MaxCountQueries), "10 MB of changes"}},
		{`ProjectChange\.parts`, []string{fmt.Sprintf("at most %d", tracker.MaxPartChanges),
			"more than " + thousands(tracker.MaxPartChangeBytes) + " bytes"}},
		{`ProjectPropertyChange\.(before|after)`,
			[]string{fmt.Sprintf("over %d characters", tracker.MaxName)}},
		{`(Create|Update)UserInput\.email`, []string{fmt.Sprintf("at most %d bytes", tracker.MaxEmail)}},
		{`User\.initials|(Create|Update)UserInput\.initials`, []string{fmt.Sprintf("1 to %d characters",
			tracker.MaxInitials)}},
		{`(Create|Update)UserInput\.avatarUrl`, []string{"at most " + thousands(tracker.MaxAvatarURL)}},
		{`(Create|Update)UserInput\.claim`, []string{fmt.Sprintf("1 to %d characters", tracker.MaxUser)}},
		{`User\.teams`, []string{fmt.Sprintf("at most %d", tracker.MaxTeams)}},
		{`Team\.members`, []string{fmt.Sprintf("at most %d", tracker.MaxMembers)}},
		{`AddTeamMembersInput\.users`, []string{fmt.Sprintf(
			"can have %d members, and a user can be in %d teams", tracker.MaxMembers, tracker.MaxTeams)}},
		{`(Add|Remove)TeamMembersInput\.users`,
			[]string{fmt.Sprintf("At most %d.", tracker.MaxMemberChange)}},
		{`(Team|(Create|Update)TeamInput)\.description`,
			[]string{"up to " + thousands(tracker.MaxDescription)}},
		{`Tenant\.(projects|users|teams)\.nameStartsWith`, []string{fmt.Sprintf("1 to %d characters", filter.MaxNeedle)}},
		{`IssueConnection\.totalCount`, []string{
			"at most 125 DynamoDB calls", "some 230,000 issues"}},
		{`(State|Option|(Add|Update)?(State|Option)Input|(Create|Update)UserInput)\.color`,
			[]string{"3 to 8 hexadecimal digits"}},
		{`((Add|Update)?(State|Option)|(Create|Update)User)Input\.color`, []string{"up to 30 letters"}},
		{`Query`, []string{"`X-Show-Cost: 1`"}},
		{`RelativeTime`, []string{"`{base: START_OF_WEEK, plus: -1, unit: WEEK}`"}},
		{`RelativeTime\.plus`, []string{"At most " + thousands(relative.MaxPlus) + " in either"}},
	}
	limits = append(limits, limitsOfComments...)
	words := regexp.MustCompile(
		"`[^`]*`|RFC 3339|BCP 47|the years 0001 to 9999|64-bit|2\\^53|UTF-8|from 1\\.")
	stated := make([]int, len(limits))
	described(schemaFile(t), func(path, description string) {
		rest := strings.Join(strings.Fields(description), " ")
		for i, l := range limits {
			if !regexp.MustCompile("^(" + l.at + ")$").MatchString(path) {
				continue
			}
			for _, says := range l.says {
				if !strings.Contains(rest, says) {
					t.Errorf("%s does not say %q: %s", path, says, description)
				}
				rest = strings.ReplaceAll(rest, says, "")
				stated[i]++
			}
		}
		if left := words.ReplaceAllString(rest, ""); strings.ContainsAny(left, "0123456789") {
			t.Errorf("%s has a number that no limit explains: %s", path, rest)
		}
	})
	for i, n := range stated {
		if n == 0 {
			t.Errorf("the schema has no %s", limits[i].at)
		}
	}
}

// rowsOf has the types of the rows of connections that are not named after them.
var rowsOf = map[string]string{"Participation": "Issue"}

func TestSchemaFollowsConventions(t *testing.T) {
	schema := schemaFile(t)
	field := func(d *ast.Definition, name, kind string) {
		t.Helper()
		f := d.Fields.ForName(name)
		if f == nil || f.Type.String() != kind {
			t.Errorf("%s.%s is %v, want %s", d.Name, name, f, kind)
		}
	}
	connections := map[string]bool{}
	for _, d := range ofOurs(schema) {
		switch {
		case d.Kind == ast.Scalar:
			by := d.Directives.ForName("specifiedBy")
			if by == nil || !strings.HasPrefix(by.Arguments.ForName("url").Value.Raw, "https://") {
				t.Errorf("scalar %s has no @specifiedBy", d.Name)
			}
		case strings.HasSuffix(d.Name, "Connection"):
			name := strings.TrimSuffix(d.Name, "Connection")
			of := cmp.Or(rowsOf[name], name)
			connections[d.Name] = true
			field(d, "edges", "["+name+"Edge!]!")
			field(d, "nodes", "["+of+"!]!")
			field(d, "pageInfo", "PageInfo!")
			edge := schema.Types[name+"Edge"]
			if edge == nil {
				t.Errorf("%s has no edge", d.Name)
				continue
			}
			field(edge, "cursor", "String!")
			field(edge, "node", of+"!")
		case strings.HasSuffix(d.Name, "Input") && d.Kind != ast.InputObject,
			strings.HasSuffix(d.Name, "Payload") && d.Kind != ast.Object:
			t.Errorf("%s is %s", d.Name, d.Kind)
		}
		if slices.Contains(d.Interfaces, "Node") {
			field(d, "id", "ID!")
		}
		for _, f := range d.Fields {
			if f.Name == "id" && d.Kind == ast.Object && !slices.Contains(d.Interfaces, "Node") &&
				!strings.Contains(f.Description, "Not a node.") {
				t.Errorf("%s has an id, is not a Node and its description does not say so", d.Name)
			}
		}
	}
	if len(connections) != 14 {
		t.Errorf("connections: %v", connections)
	}
	info := schema.Types["PageInfo"]
	field(info, "hasNextPage", "Boolean!")
	field(info, "hasPreviousPage", "Boolean!")
	field(info, "startCursor", "String")
	field(info, "endCursor", "String")
	field(schema.Types["Node"], "id", "ID!")
	if n := len(schema.Types["Node"].Fields); n != 1 {
		t.Errorf("Node has %d fields", n)
	}
	argument := func(d *ast.Definition, f, name, kind string) {
		t.Helper()
		a := d.Fields.ForName(f).Arguments.ForName(name)
		if a == nil || a.Type.String() != kind {
			t.Errorf("%s.%s(%s) is %v, want %s", d.Name, f, name, a, kind)
		}
	}
	field(schema.Query, "node", "Node")
	argument(schema.Query, "node", "id", "ID!")
	field(schema.Query, "nodes", "[Node]")
	argument(schema.Query, "nodes", "ids", "[ID!]!")
	for _, d := range ofOurs(schema) {
		for _, f := range d.Fields {
			if strings.HasSuffix(f.Type.Name(), "Connection") {
				if !connections[f.Type.String()] {
					t.Errorf("%s.%s is %s: a connection can fail", d.Name, f.Name, f.Type)
				}
				for name, kind := range map[string]string{"first": "Int", "after": "String", "last": "Int",
					"before": "String"} {
					argument(d, f.Name, name, kind)
				}
			}
		}
	}
	for _, f := range schema.Mutation.Fields {
		name := strings.ToUpper(f.Name[:1]) + f.Name[1:]
		if f.Type.String() != name+"Payload" || len(f.Arguments) != 1 {
			t.Errorf("%s is %s with %d arguments", f.Name, f.Type, len(f.Arguments))
		}
		argument(schema.Mutation, f.Name, "input", name+"Input!")
	}
	var values []string
	for _, d := range schema.PossibleTypes["CustomValue"] {
		values = append(values, d.Name)
		field(d, "field", "CustomField!")
		field(d, "display", "String!")
	}
	var types []string
	for _, v := range schema.Types["CustomFieldType"].EnumValues {
		types = append(types, v.Name)
	}
	var known []string
	for _, kind := range tracker.FieldTypes {
		known = append(known, string(kind))
	}
	same(t, "types of fields", known, types)
	if len(values) != len(types) {
		t.Errorf("%d types of values for %d types of fields", len(values), len(types))
	}
	for _, name := range []string{"IssueColumn", "ValueInput"} {
		if schema.Types[name].Directives.ForName("oneOf") == nil {
			t.Errorf("%s is not @oneOf", name)
		}
	}
}

// TestSchemaIDsNameTheirObjects checks the fields named id. Clients cache an object under its id, without its
// type, so the id must belong to the object itself and be unique among all objects. Only nodes and the few
// other types for which package model makes IDs have one. A reference to another object has another name,
// such as deletedIssueId.
func TestSchemaIDsNameTheirObjects(t *testing.T) {
	var nodes, others []string
	for _, d := range ofOurs(schemaFile(t)) {
		f := d.Fields.ForName("id")
		if f == nil || d.Kind != ast.Object {
			continue
		}
		if f.Type.String() != "ID!" {
			t.Errorf("%s.id is %s", d.Name, f.Type)
		}
		if slices.Contains(d.Interfaces, "Node") {
			nodes = append(nodes, d.Name)
		} else {
			others = append(others, d.Name)
		}
		if strings.HasSuffix(d.Name, "Payload") || strings.HasSuffix(d.Name, "Result") {
			t.Errorf("%s has an id, but is not an identifiable object", d.Name)
		}
	}
	same(t, "nodes", []string{"Comment", "CustomField", "Issue", "Project", "Team", "Tenant", "User", "View"},
		nodes)
	same(t, "others with an id", []string{"Job", "Option", "State"}, others)
}
