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
	pages "issuegrid/grid"
	"issuegrid/grid/filter"
	"issuegrid/internal/relative"
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
	limits := slices.Clone(limitsOfComments)
	on := func(at string, says ...string) { limits = append(limits, limitOf{at, says}) }
	f := fmt.Sprintf
	on(`(Tenant|Project|State|CustomField|Option|View|User|Team|Participant|(Create|Update)(Tenant|Project|CustomField|View|User|Team)Input|(Create|Update)?(State|Option)Input)\.name`,
		f("1 to %d characters", tracker.MaxName))
	on(`Issue\.name`, "up to "+thousands(tracker.MaxIssueName)+" characters")
	on(`Issue(Create|Update)Input\.name`,
		"1 to "+thousands(tracker.MaxIssueName)+" characters")
	on(`(Project|(Create|Update)ProjectInput)\.key`,
		f("1 to %d characters from A-Z, 0-9 and _", tracker.MaxProjectKey))
	on(`(View|(Create|Update)ViewInput)\.columns`, f("at most %d.", tracker.MaxViewColumns))
	on(`CreateViewInput\.projectId`, f("%d shared views, and %[1]d private ones", tracker.MaxViews))
	on(`CreateViewInput\.filter`, "At most "+thousands(tracker.MaxViewFilter)+" bytes of JSON")
	on(`(Create|Update)ViewInput\.summaries`, f("at most %d", tracker.MaxViewColumns))
	on(`(Create|Update)ViewInput\.groupBy`, "up to 2 different columns")
	on(`View\.groupBy`, "up to 2 levels")
	on(`View\.groups\.by`, "1 or 2 different columns")
	on(`(Create|Update)ViewInput\.orderBy`, f("up to %d different columns", pages.MaxColumns))
	on(`ViewColumnInput\.width`, f("%d to %s", tracker.MinViewWidth, thousands(tracker.MaxViewWidth)))
	on(`ViewConnection\.totalCount`, "of at most 100 projects")
	on(`ViewProblem\.path`, "`orderBy[0]`")
	on(`Project\.states`, f("at most %d,", tracker.MaxStates))
	on(`CreateProjectInput\.states`, f("1 to %d states", tracker.MaxStates))
	on(`CreateProjectInput\.shards`, f("1 to %d shards", tracker.MaxShards))
	on(`Project\.shards`, f("1 to %d", tracker.MaxShards))
	on(`Project\.fields`, f("at most %d,", tracker.MaxFields))
	on(`Mutation\.createCustomField`, f("can have %d.", tracker.MaxFields))
	on(`CreateTenantInput\.claim`, f("1 to %d characters from a-z and 0-9", tracker.MaxID))
	on(`CreateStateInput\.projectId`, f("can have %d states", tracker.MaxStates))
	on(`MergeStatesInput\.fromIds`, f("1 to %d states", tracker.MaxStates))
	on(`MergeOptionsInput\.fromIds`, f("1 to %d options", tracker.MaxOptions))
	on(`LinkUserNamesInput\.links`, f("1 to %d names", tracker.MaxUserLinks))
	on(`UserNameLinkInput\.name`, f("up to %d characters", tracker.MaxUser))
	on(`Job\.problems`, f("The first %d values", tracker.MaxProblems))
	on(`Job\.progress`, "from 0 to 1", "count from 0")
	on(`Project\.jobs|Query\.job`, "the last 20")
	on(`Issue\.values\.fieldIds`, f("At most %d ids", tracker.MaxFields))
	on(`Issue(Create|Update)Input\.values`, f("at most %d.", tracker.MaxFields))
	on(`(CustomField|CreateCustomFieldInput|ChangeCustomFieldTypeInput)\.options`,
		f("at most %d,", tracker.MaxOptions))
	on(`LanguageTag`, "up to 35 bytes")
	on(`Mutation\.(create|update)Comment`, f("unless it has %d", tracker.MaxParticipants))
	on(`MultiSelectValue\.options`, f("at most %d;", tracker.MaxOptions))
	on(`CreateOptionInput\.fieldId|UpdateCustomFieldInput\.newOptions`, f("can have %d", tracker.MaxOptions))
	on(`ChangeCustomFieldTypeInput\.createOptions`, f("more than %d options", tracker.MaxOptions),
		"more than "+thousands(tracker.MaxCreatedBytes)+" bytes")
	on(`(CustomField|(Create|Update)CustomFieldInput)\.description`,
		"t most "+thousands(tracker.MaxDescription)+" characters")
	on(`Mutation`, "`input.issue.values[3].value.date`")
	on(`(Create|Update)CustomFieldInput\.position`, "1 to 1,000,000")
	on(`CustomFieldType\.(TEXT|LONG_TEXT)|Issue(Create|Update)Input\.description|ValueInput\.text`,
		"p to 2 MiB")
	on(`Issue\.description`, "up to 2 MiB", perBatch, "over "+inline)
	on(`Issue\.history`, "each issue costs one more DynamoDB call")
	on(`(TextValue|LongTextValue)\.text`, "over "+inline, perBatch)
	on(`LongTextValue\.excerpt`, "at most "+inline)
	on(`CustomFieldType\.NUMBER|FloatFilter`,
		"0 or from "+number(tracker.MinNumber)+" to "+number(tracker.MaxNumber))
	on(`CustomFieldType\.TAGS|ValueInput\.tags`, f("of up to %d characters", tracker.MaxTag),
		f("p to %d ", tracker.MaxTags))
	on(`TagSetFilter`, f("1 to %d characters", tracker.MaxTag))
	on(`TextFilter`, f("1 to %d characters", filter.MaxNeedle), f("at most %d bytes", filter.MaxNeedleBytes))
	on(`Project\.issues\.where`, f("At most %d comparisons", filter.MaxTerms),
		f("at most %d levels of nested `and`, `or` and `not`", filter.MaxDepth),
		"at most "+thousands(filter.MaxOperationTerms)+" comparisons",
		thousands(filter.MaxOperandBytes)+" bytes")
	on(`(Project\.(issues|groups|cursorAt|cursorAtIssue)|View\.(issues|groups))\.orderBy`,
		f("1 to %d different columns", pages.MaxColumns))
	on(`CustomFieldType\.USER|ValueInput\.user`, f("up to %d characters", tracker.MaxUser))
	on(`(Project|View|IssueGroup)\.issues\.(first|last)`, "0 to 500")
	on(`(Query\.tenants|Tenant\.(projects|deletedProjects|users|teams)|(Project|View|IssueGroup)\.groups|Project\.(deletedIssues|history|activity|views)|Issue\.(history|comments)|Comment\.replies|Viewer\.(views|issues)|(User|Team)\.issues)\.(first|last)`,
		"0 to 100.")
	on(`((Project|IssueGroup|View)\.issues|Project\.(deletedIssues|history|activity|views)|Query\.tenants|Tenant\.(projects|deletedProjects|users|teams)|Issue\.(history|comments)|Comment\.replies|Viewer\.(views|issues)|(User|Team)\.issues)\.first`,
		"The default is 50 if `last` is not given.")
	on(`Issue\.(assignees|watchers)\.first`, f("0 to %d.", tracker.MaxParticipants))
	on(`Issue\.(assignee|watcher)Count|(IssueCreateInput\.(assignee|watcher)Ids|ParticipantsChangeInput\.(add|remove)Ids)`,
		f("at most %d.", tracker.MaxParticipants))
	on(`Query\.nodes\.ids`, "1 to 500 ids")
	on(`CreateIssuesInput\.issues`, "1 to 100 issues")
	on(`Mutation\.createIssues`, "up to 100 issues")
	on(`Mutation\.(updateIssues|deleteIssues)`, "up to 100 issues")
	on(`UpdateIssuesInput\.issues`, "1 to 100 changes")
	on(`DeleteIssuesInput\.issues`, "1 to 100 different issues")
	on(`(Project|IssueGroup|View)\.issues\.first`, "; 0 returns no rows")
	on(`(Project|View|IssueGroup)\.groups\.first`, "The default is 20 if `last` is not given.")
	on(`IssueGroupConnection\.totalCount`, "up to 1,000.")
	on(`Project\.groups\.keys`, "1 to 100 keys")
	on(`Project\.groups\.collapsed`, "At most 500.")
	on(`View\.groups\.collapsed`, "at most 500.")
	on(`Project\.groups\.prefix`, f("At most %d characters", filter.MaxNeedle))
	on(`Mutation\.createIssue`, "over "+inline, "at most 395,000 bytes")
	on(`Mutation\.delete(Issue|Project)`, f("for %d days", dynamo.DefaultKeepTrash/(24*time.Hour)))
	on(`.*Input\.idempotencyKey`, f("1 to %d characters", tracker.MaxKey), "within 24 hours")
	on(`Conflict\.baseKnown`, "at most 20")
	on(`IssueUpdateInput\.expectedVersion`, "over "+inline)
	on(`ColumnChange\.before`, "over "+inline, "each 100 of them")
	on(`(Tenant|Project|DeletedIssue|DeletedProject|User|Team)Connection\.totalCount`,
		f("at most %d DynamoDB calls", dynamo.MaxCountQueries), "some 70,000")
	on(`ActivityConnection\.totalCount`,
		f("at most %d DynamoDB calls for each shard", dynamo.MaxCountQueries))
	on(`ProjectChangeConnection\.totalCount`, f("at most %d DynamoDB calls", dynamo.MaxCountQueries),
		"10 MB of changes")
	on(`ProjectChange\.parts`, f("at most %d", tracker.MaxPartChanges),
		"more than "+thousands(tracker.MaxPartChangeBytes)+" bytes")
	on(`ProjectPropertyChange\.(before|after)`, f("over %d characters", tracker.MaxName))
	on(`(Create|Update)UserInput\.email`, f("at most %d bytes", tracker.MaxEmail))
	on(`User\.initials|(Create|Update)UserInput\.initials`, f("1 to %d characters", tracker.MaxInitials))
	on(`(Create|Update)UserInput\.avatarUrl`, "at most "+thousands(tracker.MaxAvatarURL))
	on(`(Create|Update)UserInput\.claim`, f("1 to %d characters", tracker.MaxUser))
	on(`User\.teams`, f("at most %d", tracker.MaxTeams))
	on(`Team\.members`, f("at most %d", tracker.MaxMembers))
	on(`AddTeamMembersInput\.userIds`,
		f("can have %d members, and a user can be in %d teams", tracker.MaxMembers, tracker.MaxTeams))
	on(`(Add|Remove)TeamMembersInput\.userIds`, f("At most %d.", tracker.MaxMemberChange))
	on(`(Team|(Create|Update)TeamInput)\.description`, "up to "+thousands(tracker.MaxDescription))
	on(`Tenant\.(projects|users|teams)\.nameStartsWith`, f("1 to %d characters", filter.MaxNeedle))
	on(`IssueConnection\.totalCount`, "at most 125 DynamoDB calls", "some 230,000 issues")
	on(`Color`, "3 to 8 hexadecimal digits", "up to 30 letters")
	on(`Query`, "`X-Show-Cost: 1`")
	on(`RelativeTime`, "`{base: START_OF_WEEK, offset: -1, unit: WEEK}`")
	on(`RelativeTime\.offset`, "At most "+thousands(relative.MaxOffset)+" in either")
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
			t.Errorf("%s has a number that no entry of limits explains: %s", path, rest)
		}
	})
	for i, n := range stated {
		if n == 0 {
			t.Errorf("the schema has no %s", limits[i].at)
		}
	}
}
