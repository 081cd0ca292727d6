// Package dynamotest gives tests tables of their own on a real engine, and a place on the wire to it. Start with Main, which every test
// package calls from TestMain, and Open.
//
//	func TestMain(m *testing.M) { dynamotest.Main(m) }
//
// The engine is the embedded one, in memory, one for each test package; where ISSUEGRID_TEST_ENDPOINT names another engine that speaks
// DynamoDB's API, such as Amazon's DynamoDB Local, it is that one. No test may know which. Only tests import this package.
//
// Faults are injected on the wire: a Wire is inside the process of the test, a Proxy is an engine's address for other processes. What a test wants
// at a certain moment is an Interceptor; a Chaos is one that throws dice.
package dynamotest

import (
	"context"
	"crypto/rand"
	"fmt"
	"os"
	"strings"
	"testing"

	"issuegrid/dynamo"
	"issuegrid/local"
)

// EndpointVar is the environment variable with the URL of the engine to test on.
const EndpointVar = "ISSUEGRID_TEST_ENDPOINT"

// endpoint is set once, by Main, before any test runs.
var endpoint string

// Main runs a test package's tests on an engine, and ends the process. A package whose engine does not start has failed.
func Main(m *testing.M) { os.Exit(run(m)) }

func run(m *testing.M) int {
	if endpoint = os.Getenv(EndpointVar); endpoint != "" {
		return m.Run()
	}
	engine, err := local.Start(context.Background(), local.Options{Log: func(format string, args ...any) {
		fmt.Fprintf(os.Stderr, format+"\n", args...)
	}})
	if err != nil {
		fmt.Fprintln(os.Stderr, "dynamotest:", err)
		return 1
	}
	endpoint = engine.URL()
	code := m.Run()
	if err := engine.Err(); err != nil { // it died under the tests
		fmt.Fprintln(os.Stderr, "dynamotest:", err)
		code = max(code, 1)
	}
	if err := engine.Stop(context.Background()); err != nil {
		fmt.Fprintln(os.Stderr, "dynamotest:", err)
		code = max(code, 1)
	}
	return code
}

// Endpoint is the URL of the engine.
func Endpoint() string {
	if endpoint == "" {
		panic("dynamotest: the package's TestMain must call dynamotest.Main")
	}
	return endpoint
}

// Settings are those of a table of the test's own, which is not made, with the wire to it.
func Settings(t testing.TB) (dynamo.Settings, *Wire) {
	wire := &Wire{}
	return dynamo.Settings{Table: tableName(t), Endpoint: Endpoint(), Embedded: true, NoStream: true,
		Transport: wire.Around}, wire
}

// Open makes an empty table that is the test's own, and removes it when the test ends. Options alter the settings. The wire has counted
// nothing yet.
func Open(t testing.TB, options ...func(*dynamo.Settings)) (*dynamo.DB, *Wire) {
	t.Helper()
	settings, wire := Settings(t)
	for _, alter := range options {
		alter(&settings)
	}
	db, err := dynamo.Open(context.Background(), settings)
	if err != nil {
		t.Fatal(err)
	}
	if created, err := db.CreateTable(context.Background()); err != nil || !created {
		t.Fatalf("creating the table %s: %t, %v", settings.Table, created, err)
	}
	t.Cleanup(func() {
		wire.Intercept(nil)
		if err := db.DeleteTable(context.Background()); err != nil {
			t.Errorf("deleting the table %s: %v", settings.Table, err)
		}
		db.Close()
	})
	wire.Reset()
	return db, wire
}

// tableName is the name of a table that no other test has, nor another run against the same engine.
func tableName(t testing.TB) string {
	name := strings.Map(func(r rune) rune {
		if r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' {
			return r
		}
		return '-'
	}, t.Name())
	return name[:min(len(name), 200)] + "." + rand.Text()
}
