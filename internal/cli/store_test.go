package cli

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"

	"issuegrid/dynamo"
)

func TestSettings(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		flags tableFlags
		env   map[string]string
		want  dynamo.Settings
	}{
		{tableFlags{Table: "t", Region: "eu-west-1"}, nil, dynamo.Settings{Table: "t", Region: "eu-west-1"}},
		{tableFlags{Endpoint: "http://127.0.0.1:8000"}, nil,
			dynamo.Settings{Table: "issuegrid", Endpoint: "http://127.0.0.1:8000", Embedded: true}},
		{tableFlags{Endpoint: "http://localhost:8000"}, nil,
			dynamo.Settings{Table: "issuegrid", Endpoint: "http://localhost:8000", Embedded: true}},
		{tableFlags{Endpoint: "http://[::1]:8000"}, nil,
			dynamo.Settings{Table: "issuegrid", Endpoint: "http://[::1]:8000", Embedded: true}},
		{tableFlags{Endpoint: "http://127.0.0.1:8000"}, map[string]string{"AWS_PROFILE": "work"},
			dynamo.Settings{Table: "issuegrid", Endpoint: "http://127.0.0.1:8000"}},
		{tableFlags{Endpoint: "http://127.0.0.1:8000"}, map[string]string{"AWS_ACCESS_KEY_ID": "A"},
			dynamo.Settings{Table: "issuegrid", Endpoint: "http://127.0.0.1:8000"}},
		{tableFlags{Endpoint: "http://localhost.evil.example"}, nil,
			dynamo.Settings{Table: "issuegrid", Endpoint: "http://localhost.evil.example"}},
		{tableFlags{Endpoint: "https://db.example"}, nil,
			dynamo.Settings{Table: "issuegrid", Endpoint: "https://db.example"}},
	} {
		if diff := cmp.Diff(test.want, test.flags.settings(func(name string) string {
			return test.env[name]
		})); diff != "" {
			t.Errorf("%+v with %v (-want +got):\n%s", test.flags, test.env, diff)
		}
	}
}

// TestReadAddress checks which address files are accepted.
func TestReadAddress(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "engine.url")
	if _, ok := readAddress(file); ok {
		t.Error("readAddress accepted a missing file")
	}
	if err := writeAddress(file, "http://127.0.0.1:1"); err != nil {
		t.Fatal(err)
	}
	if url, ok := readAddress(file); !ok || url != "http://127.0.0.1:1" {
		t.Errorf("readAddress = %q, %t after writeAddress", url, ok)
	}
	for _, text := range []string{"", "\n", "http://127.0.0.1:1", "http://127.0.0.1:1\n",
		fmt.Sprintf("http://127.0.0.1:1\n%d", os.Getpid()), "http://127.0.0.1:1\nx\n",
		"http://127.0.0.1:1\n0\n", "http://127.0.0.1:1\n-1\n", "http://127.0.0.1:1\n2147483646\n"} {
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		if url, ok := readAddress(file); ok {
			t.Errorf("readAddress accepted %q as %s", text, url)
		}
	}
}
