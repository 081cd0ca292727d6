package graph_test

import "testing"

// TestTwoServers runs tests of the API again with two servers on one table, which take turns. The tests do
// not count calls: a change that one server has made is read by the other when it needs it.
func TestTwoServers(t *testing.T) {
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
		{"comparisons", TestFilterComparisons},
		{"filters of texts", TestFilterTexts},
		{"other filters", TestFilterOthers},
		{"nodes", TestNodes},
		{"ids of other tenants", TestForeignIDs},
		{"names", TestNamesAreSeen},
		{"pages", TestGridPaging},
		{"ids", TestEveryIDNamesOneObject},
		{"merged options", TestMergedOptionsKeepTheirIDs},
		{"walks while others write", TestUndisturbedWalk},
	} {
		t.Run(test.name, test.run)
	}
}
