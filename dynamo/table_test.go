package dynamo_test

import (
	"context"
	"encoding/json"
	"os"
	"slices"
	"testing"

	"github.com/goccy/go-yaml"
	"github.com/google/go-cmp/cmp"

	"issuegrid/dynamo"
	"issuegrid/dynamo/dynamotest"
	"issuegrid/internal/account"
	"issuegrid/internal/columns"
	"issuegrid/tracker"
)

// createTable creates a table and returns the bodies of the requests that CreateTable sent, by operation.
func createTable(t *testing.T, alter func(*dynamo.Settings)) (requests map[string]map[string]any,
	db *dynamo.DB) {
	t.Helper()
	requests = map[string]map[string]any{}
	db = newDB(t, alter, intercepted(dynamotest.Before("", func(r *dynamotest.Request) {
		var body map[string]any
		if err := json.Unmarshal(r.Body, &body); err != nil {
			t.Error(err)
		}
		requests[r.Operation] = body
	})))
	created, err := db.CreateTable(t.Context())
	if err != nil || !created {
		t.Fatalf("created %t, %v", created, err)
	}
	t.Cleanup(func() {
		if err := newHandle(t, db.Table()).DeleteTable(t.Context()); err != nil &&
			tracker.CodeOf(err) != tracker.Unavailable {
			t.Error(err)
		}
	})
	return requests, db
}

// newHandle opens a table by its name.
func newHandle(t *testing.T, table string) *dynamo.DB {
	return newDB(t, func(s *dynamo.Settings) { s.Table = table })
}

// TestTemplate compares the CloudFormation template with the requests of DB.CreateTable: CreateTable,
// UpdateTimeToLive and UpdateContinuousBackups together set the properties in the template, except for the
// deletion protection, which the template adds.
func TestTemplate(t *testing.T) {
	requests, _ := createTable(t, func(s *dynamo.Settings) { s.NoStream = false })
	want := requests["CreateTable"]
	want["TableName"] = map[string]any{"Ref": "TableName"}
	stream, _ := want["StreamSpecification"].(map[string]any)
	if stream["StreamEnabled"] != true {
		t.Errorf("stream: %v", stream)
	}
	delete(stream, "StreamEnabled") // not a property in CloudFormation
	want["DeletionProtectionEnabled"] = true
	want["TimeToLiveSpecification"] = requests["UpdateTimeToLive"]["TimeToLiveSpecification"]
	want["PointInTimeRecoverySpecification"] =
		requests["UpdateContinuousBackups"]["PointInTimeRecoverySpecification"]

	source, err := os.ReadFile("../deploy/table.yaml")
	ok(t, err)
	asJSON, err := yaml.YAMLToJSON(source)
	if err != nil {
		t.Fatal(yaml.FormatError(err, false, true))
	}
	var template struct {
		Parameters map[string]struct{ Type string }
		Resources  map[string]struct {
			Type       string
			Properties map[string]any
		}
	}
	ok(t, json.Unmarshal(asJSON, &template))
	table := template.Resources["Table"]
	if len(template.Resources) != 1 || table.Type != "AWS::DynamoDB::Table" ||
		template.Parameters["TableName"].Type != "String" {
		t.Errorf("template: %+v", template)
	}
	got := table.Properties
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("deploy/table.yaml (-CreateTable +template):\n%s", diff)
	}
}

// TestCreateTableRequests compares the requests of DB.CreateTable with the table in docs/grid.md.
func TestCreateTableRequests(t *testing.T) {
	attribute := func(name, kind string) any {
		return map[string]any{"AttributeName": name, "AttributeType": kind}
	}
	key := func(hash, sort string) any {
		return []any{map[string]any{"AttributeName": hash, "KeyType": "HASH"},
			map[string]any{"AttributeName": sort, "KeyType": "RANGE"}}
	}
	for _, noStream := range []bool{false, true} {
		requests, db := createTable(t, func(s *dynamo.Settings) { s.NoStream = noStream })
		want := map[string]map[string]any{
			"CreateTable": {
				"TableName": db.Table(), "BillingMode": "PAY_PER_REQUEST", "KeySchema": key("PK", "SK"),
				"AttributeDefinitions": []any{attribute("PK", "S"), attribute("SK", "S"),
					attribute("SS", "B")},
				"GlobalSecondaryIndexes": []any{map[string]any{"IndexName": "grid",
					"KeySchema": key("SK", "SS"),
					"Projection": map[string]any{"ProjectionType": "INCLUDE",
						"NonKeyAttributes": []any{"has"}}}},
			},
			"UpdateTimeToLive": {"TableName": db.Table(),
				"TimeToLiveSpecification": map[string]any{"AttributeName": "expires", "Enabled": true}},
			"UpdateContinuousBackups": {"TableName": db.Table(),
				"PointInTimeRecoverySpecification": map[string]any{"PointInTimeRecoveryEnabled": true}},
			"DescribeTable":      {"TableName": db.Table()},
			"DescribeTimeToLive": {"TableName": db.Table()},
		}
		if !noStream {
			want["CreateTable"]["StreamSpecification"] = map[string]any{"StreamEnabled": true,
				"StreamViewType": "NEW_AND_OLD_IMAGES"}
		}
		if diff := cmp.Diff(want, requests); diff != "" {
			t.Errorf("without a stream: %t; requests (-want +got):\n%s", noStream, diff)
		}
	}
}

//test:engine
func TestTableIsMadeOnce(t *testing.T) {
	_, db := createTable(t, func(*dynamo.Settings) {})
	ok(t, db.CreateTenant(t.Context(), tracker.Tenant{ID: acme, Name: "Stays"}))
	if created, err := db.CreateTable(t.Context()); err != nil || created {
		t.Errorf("second CreateTable: created %t, %v", created, err)
	}
	if err := db.Ready(t.Context()); err != nil {
		t.Error(err)
	}
	tenants, err := db.Tenants(t.Context(), []tracker.TenantID{acme})
	if err != nil || tenants[0] == nil {
		t.Errorf("the data after the second CreateTable: %v, %v", tenants, err)
	}
	ok(t, db.DeleteTable(t.Context()))
	wantCode(t, db.Ready(t.Context()), tracker.Unavailable, "does not exist")
	wantCode(t, db.DeleteTable(t.Context()), tracker.Unavailable, "does not exist")
}

// TestEnginesWithoutBackups checks that CreateTable succeeds on an engine without point-in-time recovery, and
// fails if any other operation is unknown or refused.
func TestEnginesWithoutBackups(t *testing.T) {
	for _, test := range []struct {
		operation, code string
		want            tracker.Code
	}{
		{"UpdateContinuousBackups", "UnknownOperationException", ""},
		{"UpdateContinuousBackups", "AccessDeniedException", tracker.Unavailable},
		{"UpdateTimeToLive", "UnknownOperationException", tracker.InternalErr},
		{"CreateTable", "AccessDeniedException", tracker.Unavailable},
	} {
		t.Run(test.operation+" "+test.code, func(t *testing.T) {
			db := newDB(t, intercepted(dynamotest.Refuse(test.operation, test.code)))
			created, err := db.CreateTable(t.Context())
			wantCode(t, err, test.want)
			if created != (test.operation != "CreateTable") {
				t.Errorf("created: %t", created)
			}
			if created {
				if err := db.DeleteTable(t.Context()); err != nil {
					t.Error(err)
				}
			}
		})
	}
}

// TestInterruptedTable interrupts CreateTable after the table exists. A second call completes the settings. A
// third one only enables recovery again, which is harmless.
//
//test:engine
func TestInterruptedTable(t *testing.T) {
	for _, operation := range []string{"DescribeTimeToLive", "UpdateTimeToLive"} {
		t.Run(operation, func(t *testing.T) {
			settings, wire := dynamotest.Settings(t)
			db, err := dynamo.Open(t.Context(), settings)
			ok(t, err)
			wire.Intercept(dynamotest.Refuse(operation, "AccessDeniedException"))
			created, err := db.CreateTable(t.Context())
			if wantCode(t, err, tracker.Unavailable, "credentials"); !created {
				t.Error("the table was not created")
			}
			wire.Intercept(nil)
			for _, ttl := range []int{1, 0} {
				wire.Reset()
				if created, err := db.CreateTable(t.Context()); err != nil || created {
					t.Errorf("created %t, %v", created, err)
				}
				if calls := wire.Calls(); calls["UpdateTimeToLive"] != ttl ||
					calls["UpdateContinuousBackups"] != 1 {
					t.Errorf("calls %v, want %d of UpdateTimeToLive", calls, ttl)
				}
			}
			if err := db.DeleteTable(t.Context()); err != nil {
				t.Error(err)
			}
		})
	}
}

// TestTableNotActive checks that Ready fails and CreateTable waits until the table is active.
func TestTableNotActive(t *testing.T) {
	status := []string{"CREATING", "CREATING", "ACTIVE"}
	_, db := createTable(t, func(*dynamo.Settings) {})
	pending := newDB(t, func(s *dynamo.Settings) { s.Table = db.Table() }, intercepted(
		func(r *dynamotest.Request, send dynamotest.Send) *dynamotest.Response {
			if r.Operation != "DescribeTable" || len(status) == 0 {
				return send(r)
			}
			a := &dynamotest.Response{Status: 200,
				Body: []byte(`{"Table":{"TableStatus":"` + status[0] + `"}}`)}
			status = status[1:]
			return a
		}))
	wantCode(t, pending.Ready(t.Context()), tracker.Unavailable, "CREATING")
	if created, err := pending.CreateTable(t.Context()); err != nil || created || len(status) != 0 {
		t.Errorf("created %t, %v; statuses not yet read: %v", created, err, status)
	}
	for _, usable := range []string{"ACTIVE", "UPDATING"} {
		status = []string{usable}
		if err := pending.Ready(t.Context()); err != nil {
			t.Errorf("%s: %v", usable, err)
		}
	}
	status = slices.Repeat([]string{"DELETING"}, 1)
	wantCode(t, pending.Ready(t.Context()), tracker.Unavailable, "DELETING")
}

// TestTableNeverActive checks that CreateTable stops waiting for the table when its context is canceled.
func TestTableNeverActive(t *testing.T) {
	_, db := createTable(t, func(*dynamo.Settings) {})
	ctx, cancel := context.WithCancel(t.Context())
	polls := 0
	pending := newDB(t, func(s *dynamo.Settings) { s.Table = db.Table() }, intercepted(
		func(r *dynamotest.Request, send dynamotest.Send) *dynamotest.Response {
			if r.Operation != "DescribeTable" {
				return send(r)
			}
			if polls++; polls == 2 {
				cancel()
			}
			return &dynamotest.Response{Status: 200, Body: []byte(`{"Table":{"TableStatus":"CREATING"}}`)}
		}))
	created, err := pending.CreateTable(ctx)
	if wantCode(t, err, tracker.Unavailable, "did not become active"); created || polls != 2 {
		t.Errorf("created %t after %d polls, want 2", created, polls)
	}
}

// TestCorruptItems checks that reading an item with missing attributes or a wrong key returns an error.
//
//test:engine
func TestCorruptItems(t *testing.T) {
	f := setup(t)
	i := f.issue(nil)
	k := key{"acme/issue-p1." + i.ID.Issue, "acme/project-p1"}
	for _, attribute := range []string{"created", "updated"} {
		m := f.raw.get(k)
		delete(m, attribute)
		f.raw.put(m)
		_, err := f.store.Issues(t.Context(), []tracker.IssueID{i.ID})
		wantCode(t, err, tracker.InternalErr, "time")
	}
	f.raw.put(attributes(item{"PK": "acme/project-x", "SK": "acme/project-p1", "SS": binary("\x01")}))
	_, err := f.store.QueryKeys(t.Context(), dynamoQuery(project, tracker.ColumnNum, false))
	wantCode(t, err, tracker.InternalErr, "not an issue's")
	f.raw.put(attributes(item{"PK": "acme/issue-p1.x", "SK": "acme/tenant-acme", "SS": binary("\x01")}))
	_, _, err = f.store.ProjectList().Page(t.Context(), dynamo.ListQuery{Limit: 5})
	wantCode(t, err, tracker.InternalErr, "another kind")
}

// TestMeter checks that a meter adds up the consumed capacity that DynamoDB reports.
func TestMeter(t *testing.T) {
	f := setup(t)
	ids := idsOf(f.rowsOf(150))
	store, meter := f.metered(acme)
	_, err := store.Issues(t.Context(), ids)
	f.must(err)
	if diff := cmp.Diff(account.Cost{Calls: map[string]int{"BatchGetItem": 2}, Items: 150, RCU: 75},
		meter.Cost()); diff != "" {
		t.Errorf("150 documents, eventually consistent, of less than 4 KB (-want +got):\n%s", diff)
	}
	_, err = store.QueryKeys(t.Context(), columns.KeyQuery{Project: project, Column: "fint", Limit: 10})
	f.must(err)
	cost := meter.Cost()
	if cost.Calls["Query"] != 1 || cost.Items != 160 || cost.RCU <= 75 || cost.RCU > 77 || cost.WCU != 0 {
		t.Errorf("after a query of 10 keys: %+v", cost)
	}
	cost.Calls["Query"] = 99 // Cost returns a copy
	_, err = store.UpdateIssue(t.Context(), f.d, ids[0], tracker.Change{Name: ptr("Renamed")})
	f.must(err)
	after := meter.Cost()
	if after.Calls["Query"] != 1 || after.Calls["TransactWriteItems"] != 1 || after.Items != 166 ||
		after.WCU < 6 {
		t.Errorf("after an update of four items: %+v", after)
	}
}
