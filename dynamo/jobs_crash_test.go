package dynamo_test

import (
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"issuegrid/dynamo"
	"issuegrid/dynamo/dynamotest"
	"issuegrid/tracker"
)

// TestIssueThatCrashesServers checks that a job goes on although one of its issues ends every server that
// processes it: the fifth time it leaves the issue out, as a problem. A job that only checks issues fails.
// The issue is one of a chunk, or in the trash.
func TestIssueThatCrashesServers(t *testing.T) {
	for _, test := range []struct {
		name                string
		checking, isTrashed bool
	}{{"converting", false, false}, {"converting the trash", false, true}, {"checking", true, false},
		{"checking the trash", true, true}} {
		t.Run(test.name, func(t *testing.T) {
			f := setup(t, soon)
			want := f.some(75, "ftext", func(n int) tracker.Value { return tracker.Text(fmt.Sprint(n)) })
			poison := tracker.IssueID{Project: project, Issue: "ftextx57"}
			if delete(want, poison); test.isTrashed {
				f.must(f.store.DeleteIssue(t.Context(), poison, nil))
			}
			f.change("ftext", tracker.TypeInteger, false)
			var mu sync.Mutex
			armed, dead := test.checking, false
			f.wire.Intercept(dynamotest.Instead(func(r *dynamotest.Request) *dynamotest.Response {
				mu.Lock()
				defer mu.Unlock()
				body := string(r.Body)
				isProblem := strings.Contains(body, `"problems"`) // the item of the job names the issue
				if dead = dead || armed && !isProblem && strings.Contains(body, poison.Issue); dead {
					return dynamotest.Refusal("ValidationException", "the server has crashed")
				}
				if r.Operation == "TransactWriteItems" && strings.Contains(body, `"since":{"S":"0001`) {
					armed = true // the job converts from now on
				}
				return nil
			}))
			crashes := 0
			for crashes < 20 {
				ahead := time.Duration(crashes+1) * time.Minute // the lease of the server before has expired
				store, _ := f.server(soon, func(s *dynamo.Settings) {
					s.Transport = f.wire.Around
					s.Now = func() time.Time { return time.Now().Add(ahead) }
				})
				err := store.RunJobs(t.Context(), project)
				mu.Lock()
				crashed := dead
				dead = false
				mu.Unlock()
				if !crashed {
					f.must(err)
					break
				}
				crashes++
			}
			f.wire.Intercept(nil)
			jobs := f.jobs()
			if crashes != 5 || len(jobs) != 1 || jobs[0].ProblemCount != 1 ||
				jobs[0].Problems[0].Issue != poison ||
				!strings.Contains(jobs[0].Problems[0].Reason, "crashed") {
				t.Fatalf("after %d crashes: %+v", crashes, jobs)
			}
			j, d := jobs[0], f.definition()
			if test.checking {
				if j.Status != tracker.JobFailed || !strings.Contains(j.Reason, "5 attempts") ||
					d.Field("ftext").Type != tracker.TypeText {
					t.Errorf("%+v, and the field has the type %s", j, d.Field("ftext").Type)
				}
				return
			}
			if j.Status != tracker.JobDone || d.Field("ftext").Type != tracker.TypeInteger {
				t.Errorf("%+v, and the field has the type %s", j, d.Field("ftext").Type)
			}
			for id, v := range want {
				if got := f.read(id).Values["ftext"]; got.Literal() != v.Text() {
					t.Errorf("%v has %v, want %v", id, got, v)
				}
			}
		})
	}
}
