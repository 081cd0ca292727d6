// Package dynamotest gives each test a table of its own on a real engine, and control over the connection to
// it. Every test package calls Main from TestMain; tests call Open.
//
//	func TestMain(m *testing.M) { dynamotest.Main(m) }
//
// The engine is the embedded one, in memory, one per test package. If ISSUEGRID_TEST_ENDPOINT is set, it is
// the engine at that URL, such as DynamoDB Local. Tests must not depend on which it is. Only tests may import
// this package.
package dynamotest

import (
	"context"
	"crypto/rand"
	"flag"
	"fmt"
	"os"
	"runtime/debug"
	"strconv"
	"strings"
	"testing"

	"issuegrid/dynamo"
	"issuegrid/internal/local"
	"issuegrid/test/tier"
)

// EndpointVar is the environment variable with the URL of the engine.
const EndpointVar = "ISSUEGRID_TEST_ENDPOINT"

// endpoint is set by Main before any test runs.
var endpoint string

// Main starts the engine, runs the tests of a package, and exits. It fails if the engine does not start or
// has died during the tests. In tier one, property tests of package rapid try 20 cases instead of 100.
func Main(m *testing.M) { os.Exit(run(m)) }

func run(m *testing.M) int {
	debug.SetGCPercent(400) // as a server does
	if checks := flag.Lookup("rapid.checks"); checks != nil && os.Getenv("RAPID_CHECKS") == "" {
		if err := checks.Value.Set(strconv.Itoa(tier.Cases(20, 100))); err != nil {
			panic(err)
		}
	}
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
	if err := engine.Err(); err != nil { // the engine died during the tests
		fmt.Fprintln(os.Stderr, "dynamotest:", err)
		code = max(code, 1)
	}
	if err := engine.Stop(context.Background()); err != nil {
		fmt.Fprintln(os.Stderr, "dynamotest:", err)
		code = max(code, 1)
	}
	return code
}

// Embedded reports whether the engine is the embedded one, and not one that EndpointVar names.
func Embedded() bool { return os.Getenv(EndpointVar) == "" }

// ReportsUnits reports whether the engine reports the write capacity units that Amazon documents. DynamoDB
// Local reports others: it leaves out index writes, and counts items of a transaction differently.
func ReportsUnits() bool { return Embedded() }

// Endpoint returns the URL of the engine.
func Endpoint() string {
	if endpoint == "" {
		panic("dynamotest: the package's TestMain must call dynamotest.Main")
	}
	return endpoint
}

// Settings returns the settings of a table for one test, and its wire. It does not create the table.
func Settings(t testing.TB) (dynamo.Settings, *Wire) {
	wire := &Wire{}
	return dynamo.Settings{Table: tableName(t), Endpoint: Endpoint(), Embedded: true, NoStream: true,
		Transport: wire.Around}, wire
}

// Open creates an empty table for one test, and deletes it when the test ends. Options modify the settings.
// The wire's counts are zero.
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

// tableName returns a table name that is unique among tests and among runs against the same engine.
func tableName(t testing.TB) string {
	name := strings.Map(func(r rune) rune {
		if r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' {
			return r
		}
		return '-'
	}, t.Name())
	return name[:min(len(name), 200)] + "." + rand.Text()
}
