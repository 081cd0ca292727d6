package work_test

import (
	"testing"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"issuegrid/dynamo/internal/layout"
	"issuegrid/dynamo/internal/work"
	"issuegrid/tracker"
)

// TestStoredKinds checks that the kinds of jobs are stored as earlier versions store them, and are read back.
func TestStoredKinds(t *testing.T) {
	for kind, want := range map[tracker.JobKind]string{
		tracker.JobMoveOptions: "MOVE_OPTIONS", tracker.JobMergeOptions: "MERGE_OPTIONS",
		tracker.JobMoveStates: "MOVE_STATES", tracker.JobMergeStates: "MERGE_STATES",
		tracker.JobDeleteField: "DELETE_FIELD", tracker.JobChangeType: "CHANGE_TYPE",
		tracker.JobIndexEmpties: "INDEX_EMPTY_VALUES", tracker.JobLinkNames: "LINK_USER_NAMES",
	} {
		m := work.Encode(layout.Keys{Tenant: "acme"}, "p", &work.State{Jobs: []tracker.Job{{Kind: kind}}})
		job, ok := layout.GetL(m, "jobs")[0].(*types.AttributeValueMemberM)
		if !ok || layout.GetS(job.Value, "kind") != want {
			t.Errorf("%s is stored as %v", kind, m["jobs"])
		}
		if got := work.Decode("p", m).Jobs[0].Kind; got != kind {
			t.Errorf("%s is read as %s", kind, got)
		}
	}
}
