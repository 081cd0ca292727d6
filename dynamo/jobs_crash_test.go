package dynamo_test

import (
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"issuegrid/dynamo"
	"issuegrid/dynamo/dynamotest"
	"issuegrid/tracker"
)

// crasher is an engine whose clients crash: from some call of a server on, none of its calls succeeds.
type crasher struct {
	at func(r *dynamotest.Request) bool // whether the server crashes before this call

	mu   sync.Mutex
	dead bool
}

func (c *crasher) instead(r *dynamotest.Request) *dynamotest.Response {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.dead = c.dead || c.at(r); c.dead {
		return dynamotest.Refusal("ValidationException", "the server has crashed")
	}
	return nil
}

// restart reports whether the server has crashed, and starts another one.
func (c *crasher) restart() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	crashed := c.dead
	c.dead = false
	return crashed
}

// runCrashing lets one server after the other run the jobs of the project, until one does not crash. It
// returns how many have.
func (f *fixture) runCrashing(c *crasher) (crashes int) {
	f.Helper()
	f.wire.Intercept(dynamotest.Instead(c.instead))
	defer f.wire.Intercept(nil)
	for ; crashes < 30; crashes++ {
		ahead := time.Duration(crashes+1) * time.Minute // the lease of the server before has expired
		store, _ := f.server(soon, func(s *dynamo.Settings) {
			s.Transport = f.wire.Around
			s.Now = func() time.Time { return time.Now().Add(ahead) }
		})
		if err := store.RunJobs(f.Context(), project); !c.restart() {
			f.must(err)
			return crashes
		}
	}
	f.Fatal("all servers crash")
	return 0
}

// TestIssueThatCrashesServers checks that a job goes on although some of its issues end every server that
// processes them: the fifth time in a row, it leaves the issue out, as a problem. A job that only checks
// issues fails. Issues are in a chunk, or in the trash.
func TestIssueThatCrashesServers(t *testing.T) {
	for _, test := range []struct {
		name                string
		checking, isTrashed bool
		of                  map[string]int // how often servers crash at issues
		crashes             int
		leftOut             []string
	}{
		{"converting", false, false, map[string]int{"ftextx57": 30}, 8, []string{"ftextx57"}},
		{"converting the trash", false, true, map[string]int{"ftextx57": 30}, 5, []string{"ftextx57"}},
		{"checking", true, false, map[string]int{"ftextx57": 30}, 8, []string{"ftextx57"}},
		{"checking the trash", true, true, map[string]int{"ftextx57": 30}, 5, []string{"ftextx57"}},
		{"two issues", false, false, map[string]int{"ftextx57": 30, "ftextx60": 30}, 13,
			[]string{"ftextx57", "ftextx60"}},
		{"two issues that recover", false, false, map[string]int{"ftextx57": 4, "ftextx60": 4}, 8, nil},
	} {
		t.Run(test.name, func(t *testing.T) {
			f := setup(t, soon)
			want := f.some(75, "ftext", func(n int) tracker.Value { return tracker.Text(fmt.Sprint(n)) })
			for _, id := range test.leftOut {
				delete(want, tracker.IssueID{Project: project, Issue: id})
			}
			if test.isTrashed {
				f.must(f.store.DeleteIssue(t.Context(), tracker.IssueID{Project: project, Issue: "ftextx57"},
					nil))
			}
			f.change("ftext", tracker.TypeInteger, false)
			armed := test.checking
			crashes := f.runCrashing(&crasher{at: func(r *dynamotest.Request) (crash bool) {
				body := string(r.Body)
				if strings.Contains(body, `"problems"`) { // the item of the jobs names issues, too
					armed = armed || r.Operation == "TransactWriteItems" &&
						strings.Contains(body, `"since":{"S":"0001`) // the job converts from now on
					return false
				}
				for id, left := range test.of {
					if armed && left > 0 && strings.Contains(body, id) {
						test.of[id]--
						crash = true
					}
				}
				return crash
			}})
			jobs := f.jobs()
			if crashes != test.crashes || len(jobs) != 1 {
				t.Fatalf("after %d crashes: %+v", crashes, jobs)
			}
			j, d := jobs[0], f.definition()
			var leftOut []string
			for _, p := range j.Problems {
				if leftOut = append(leftOut, p.Issue.Issue); !strings.Contains(p.Reason, "crashed") {
					t.Errorf("the problem %+v", p)
				}
			}
			slices.Sort(leftOut)
			if !slices.Equal(leftOut, test.leftOut) || int(j.ProblemCount) != len(leftOut) {
				t.Errorf("%v are left out, want %v", leftOut, test.leftOut)
			}
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

// TestCrashesWhileAJobWaits checks that servers that crash before a job has begun leave no issue out.
func TestCrashesWhileAJobWaits(t *testing.T) {
	f := setup(t, soon)
	f.some(3, "ftext", func(n int) tracker.Value { return tracker.Text(fmt.Sprint(n)) })
	f.change("ftext", tracker.TypeInteger, false)
	writes, servers := 0, 0
	crashes := f.runCrashing(&crasher{at: func(r *dynamotest.Request) bool {
		if !strings.Contains(string(r.Body), `"problems"`) || !strings.Contains(string(r.Body), `"since"`) {
			return false
		}
		if writes++; writes == 1 || servers == 8 { // the first write takes the lease
			return false
		}
		writes = 0
		servers++
		return true
	}})
	jobs := f.jobs()
	if crashes != 8 || len(jobs) != 1 || jobs[0].Status != tracker.JobDone || jobs[0].ProblemCount != 0 {
		t.Errorf("after %d crashes: %+v", crashes, jobs)
	}
}
