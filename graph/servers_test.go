package graph_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"issuegrid/test/tier"
)

// TestTwoServers runs tests of the API again with two servers on one table, which take turns. Here the tests
// do not count the calls that read definitions: a change that one server has made is read by the other when
// it needs it.
func TestTwoServers(t *testing.T) {
	tier.Verify(t, "it repeats tests of tier one with two servers, for a minute")
	servers = 2
	defer func() { servers = 1 }()
	for _, test := range []struct {
		name string
		run  func(*testing.T)
	}{
		{"tenants", TestTenants},
		{"projects", TestProjects},
		{"issues", TestIssues},
		{"new issues", TestCreateIssues},
		{"idempotency keys", TestIdempotencyKeys},
		{"bulk changes", TestBulkChanges},
		{"all that is wrong", TestAllThatIsWrong},
		{"version conflicts", TestVersionConflict},
		{"trash", TestTrash},
		{"history", TestHistory},
		{"history of a project", TestProjectHistory},
		{"trash of projects", TestProjectTrash},
		{"rebuilding", TestRebuilding},
		{"converting", TestConverting},
		{"changing options", TestEditOptions},
		{"changing states", TestEditStates},
		{"rebuilding states", TestRebuildingStates},
		{"the life of a field", TestLifeOfAField},
		{"canceling jobs", TestCancelJob},
		{"nodes", TestNodes},
		{"ids of other tenants", TestForeignIDs},
		{"names", TestNamesAreSeen},
		{"pages", TestGridPaging},
		{"ids", TestEveryIDNamesOneObject},
		{"merged options", TestMergedOptionsKeepTheirIDs},
		{"indexing empty values", TestEmptyValuesWhileIndexed},
		{"walks while others write", TestUndisturbedWalk},
		{"authors", TestAuthors},
		{"a change for each issue", TestChangesOfEachIssue},
		{"members at the same time", TestConcurrentMembers},
		{"what a conflict has", TestConflictsExplainThemselves},
		{"conflicts without a base", TestConflictsWithoutBase},
		{"sizes of lists", TestDefaultSizeOfLists},
		{"deleting a tenant", TestDeleteTenant},
		{"counts", TestEveryConnectionCounts},
		{"invalid values", TestEveryInvalidValueIsReported},
		{"wrong kinds", TestEveryWrongKindIsReported},
		{"failures of single fields", TestFailuresStayWhereTheyAre},
		{"the example of fields.md", TestFieldsExample},
		{"filters that are refused", TestFilterRefused},
		{"filtered grids", TestFilters},
		{"filters by name", TestFiltersByName},
		{"options of others", TestForeignOptionsAreRefused},
		{"invalid inputs", TestInvalidInputs},
		{"isolation", TestIsolation},
		{"limits", TestLimits},
		{"pages of lists", TestListPaging},
		{"look-ups by name", TestLookUpsByName},
		{"long ids", TestMessagesNameWholeIDs},
		{"names from before", TestNamesFromBefore},
		{"damaged rows", TestOneRowDoesNotSpoilOthers},
		{"refused edits of options", TestOptionEditsThatAreRefused},
		{"refused edits of states", TestStateEditsThatAreRefused},
		{"pages of a prefix", TestPagesOfAPrefix},
		{"used keys", TestPathOfUsedKey},
		{"repeated keys", TestRepeatedKeysReserveNothing},
		{"roles", TestRoles},
		{"values by kind", TestValuesByKind},
		{"viewer", TestViewer},
		{"the worked example", TestWorkedExample},
		{"no rows", TestZeroRows},
		{"projects with shards", TestProjectWithShards},
		{"empty groups", TestEmptyGroups},
		{"groups that are refused", TestGroupsRefused},
		{"values of groups", TestGroupValues},
		{"saved views", TestSavedView},
		{"groups of views", TestViewGroups},
		{"filters by the caller", TestFilterIsMe},
		{"pages of views", TestViewPages},
		{"default views", TestDefaultView},
		{"changes of views", TestViewChanges},
		{"views of deleted things", TestViewOfDeletedThings},
		{"views of merged states", TestViewOfMergedStates},
		{"views of renamed things", TestViewOfRenamedThings},
		{"filters of views", TestViewFilterLimits},
		{"views of deleted projects", TestViewsOfDeletedProjects},
		{"views of a user", TestViewsOfViewer},
		{"the example of views.md", TestViewsExample},
		{"users and teams", TestPeople},
		{"the example of people.md", TestPeopleExample},
		{"refused changes of users and teams", TestPeopleRefused},
		{"issues of users and teams", TestParticipation},
		{"participation in deleted issues", TestParticipationLeavesWithItsIssue},
		{"users and teams of an issue", TestParticipantsOfAnIssue},
		{"comments", TestComments},
		{"activity", TestActivity},
		{"the example of activity.md", TestActivityExample},
		{"the example of comments.md", TestCommentsExample},
		{"rights to comments", TestCommentRights},
		{"pages of comments", TestCommentPages},
		{"mentions", TestMentions},
		{"mentions on issues with many watchers", TestManyWatchers},
		{"keys of two users", TestKeyOfTwo},
		{"comments of deleted issues", TestCommentOfDeletedIssue},
		{"numbers of replies", TestReplyCount},
	} {
		t.Run(test.name, test.run)
	}
}

// onlyOneServer lists the tests that TestTwoServers does not run, by the reason.
var onlyOneServer = map[string]string{
	"count calls or CPU time, and the second server adds its own": `
		TestActivityCosts TestCommentCosts TestConsistentReads TestCost TestCostOfShards TestFlat TestManyColumns TestOperandsCost TestOperationLimits
		TestParticipationCosts TestParticipationInManyProjects TestPeopleCosts TestViewCosts TestViewRights`,
	"evaluate the requests of one server's session": `TestTenantPolicy`,
	"start their servers themselves": `
		TestConcurrentEdits TestOtherServersForgetDeletedFields TestOtherServersForgetMergedStates
		TestOtherServersKnowNewFields TestOtherServersKnowNewFieldsOfViews TestRelativeTimes TestRelativeTimesRefused TestViewOfRelativeTimes
		TestWalkAcrossMidnight`,
	"disturb or observe one server": `
		TestClientThatGoesAway TestInternalErrors TestNoMemoryForRequests TestObserver TestUnavailable`,
	"check the protocol, which depends on no definition": `
		TestAccept TestBodies TestGet TestHalvesOfCharacters TestHalvesOfCharactersInQueries
		TestOperationsThatAreNotNamed TestRequestErrors TestRequestsThatReadersReadDifferently
		TestWhatFiltersShouldKnow`,
	"check requests before they are executed": `
		TestAdmission TestAllowedOperations TestDefaultsLetThrough TestEnter TestLimitsOfRequests
		TestLookUpsInListsAreEstimated TestNothingIsSentBack TestOperationsThatMayCostTooMuch TestParallel
		TestParsedQueriesOfTenants TestPersistedQueries TestPersistedQueriesOfTenants TestRefusedOperations
		TestReadsInListsAreEstimated TestSmallButLarge TestSuggestions TestUnknownMembers TestValuesOfEnums TestVariablesNamed
		TestVariablesNotGiven`,
	"compare the schema with what one server shows of it": `
		TestIntegersHave32Bits TestIntrospection TestIntrospectionIsBounded TestIntrospectionIsCounted
		TestNoIntrospection`,
	"read what one server reads, and take long": `TestBoard TestGroups TestSummaries
		TestSummaryOfContinuedCount`,
	"compare how one server writes the same rows in two ways, or measure what it writes": `
		TestAnswerBytes TestAnswerFields TestAnswerMeasured TestAnswerOfFailedRows TestAnswerOfOneRow
		TestAnswerTypenames TestCompiledRowsAnswerLikeTheExecutor TestEveryFieldOfARowIsCompiled TestGone
		TestTexts`,
	"take long": `
		TestAttacksOnData TestEmptyValuesOfShards TestInvalidSortColumns TestSeveralSortColumns
		TestShards`,
}

// TestEveryTestOfTheAPI checks that each test of the package that starts a server also runs with two servers,
// or is in onlyOneServer, and that both lists name no other tests.
func TestEveryTestOfTheAPI(t *testing.T) {
	uses := usesOfTestFunctions(t)
	var known []string
	for name := range uses["TestTwoServers"] {
		if strings.HasPrefix(name, "Test") {
			known = append(known, name)
		}
	}
	for _, names := range onlyOneServer {
		known = append(known, strings.Fields(names)...)
	}
	slices.Sort(known)
	for i, name := range known {
		if i > 0 && name == known[i-1] {
			t.Errorf("%s is in both lists, or twice in one", name)
		}
		if !reaches(uses, name, "newServer", map[string]bool{}) {
			t.Errorf("there is no test %s that starts a server", name)
		}
	}
	found := 0
	for name := range uses {
		if !strings.HasPrefix(name, "Test") || name == "TestTwoServers" ||
			!reaches(uses, name, "newServer", map[string]bool{}) {
			continue
		}
		found++
		if _, ok := slices.BinarySearch(known, name); !ok {
			t.Errorf("%s starts a server; add it to TestTwoServers, or to onlyOneServer with the reason",
				name)
		}
	}
	if found < 100 {
		t.Errorf("found %d tests that start a server", found)
	}
}

// usesOfTestFunctions returns the names that each function in the test files of the package uses, without
// those of its variables. Methods of all types with the same name count as one, whose name begins with a dot.
func usesOfTestFunctions(t *testing.T) map[string]map[string]bool {
	t.Helper()
	files, err := filepath.Glob("*_test.go")
	if err != nil {
		t.Fatal(err)
	}
	uses := map[string]map[string]bool{}
	for _, file := range files {
		parsed, err := parser.ParseFile(token.NewFileSet(), file, nil, parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		for _, d := range parsed.Decls {
			f, ok := d.(*ast.FuncDecl)
			if !ok {
				continue
			}
			name := f.Name.Name
			if f.Recv != nil {
				name = "." + name
			}
			if uses[name] == nil {
				uses[name] = map[string]bool{}
			}
			addUses(f, uses[name])
		}
	}
	return uses
}

// addUses adds the names that a function uses.
func addUses(f *ast.FuncDecl, used map[string]bool) {
	own := map[string]bool{}
	define := func(all ...ast.Expr) {
		for _, e := range all {
			if name, ok := e.(*ast.Ident); ok {
				own[name.Name] = true
			}
		}
	}
	ast.Inspect(f, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.AssignStmt:
			if n.Tok == token.DEFINE {
				define(n.Lhs...)
			}
		case *ast.RangeStmt:
			define(n.Key, n.Value)
		case *ast.ValueSpec:
			for _, name := range n.Names {
				define(name)
			}
		case *ast.Field: // a parameter, or a member of a struct
			for _, name := range n.Names {
				define(name)
			}
		}
		return true
	})
	var use func(ast.Node) bool
	use = func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.SelectorExpr:
			used["."+n.Sel.Name] = true
			ast.Inspect(n.X, use)
			return false
		case *ast.Ident:
			if !own[n.Name] {
				used[n.Name] = true
			}
		}
		return true
	}
	ast.Inspect(f.Body, use)
}

// reaches reports whether a function uses another one, directly or through others.
func reaches(uses map[string]map[string]bool, from, to string, seen map[string]bool) bool {
	if from == to {
		return true
	}
	if seen[from] {
		return false
	}
	seen[from] = true
	for name := range uses[from] {
		if reaches(uses, name, to, seen) {
			return true
		}
	}
	return false
}
