//go:build unix

package process

import (
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"issuegrid/internal/lambda"
	"issuegrid/test/harness"
)

// TestRefused checks that a command that cannot be run ends with one error, and does nothing else: it makes
// no file, and a server does not listen. With a JSON log, the error and all other lines are JSON. The ranges
// of settings are tested in package cli, and those of sign-in in package auth.
func TestRefused(t *testing.T) {
	t.Parallel()
	taken, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { taken.Close() })
	broken := filepath.Join(t.TempDir(), "broken.json")
	if err := os.WriteFile(broken, []byte(`{"id": "{ nothing }"}`), 0o600); err != nil {
		t.Fatal(err)
	}
	i := harness.NewIssuer(t)
	signIn := " " + strings.Join(i.Flags(), " ")
	const (
		usage, failed = harness.ExitUsage, harness.ExitFailed
		early         = -failed                          // before it listens
		nowhere       = " --endpoint http://127.0.0.1:1" // a port that was in use could be given to another
		serve         = "serve --addr 127.0.0.1:0"
		keyed         = " --auth-issuer x --auth-audience y"
		onLambda      = lambda.Variable + "=127.0.0.1:1"
		seeServe      = "; see `issuegrid serve --help`"
		seeLambda     = "see `issuegrid lambda --help`"
	)
	for _, test := range []struct {
		args string
		env  []string
		code int
		says string // parts of the error, separated by |
	}{
		{"--dat x", nil, usage, `unknown flag --dat, did you mean "--data"?` + seeServe},
		{"--no-such-flag", []string{"ISSUEGRID_LOG_FORMAT=json"}, usage, "--no-such-flag"},
		{"sevre", nil, usage, "unexpected argument sevre; see `issuegrid --help`"},
		{"table", nil, usage, "expected \"create\"; see `issuegrid table --help`"},
		{"table create", nil, usage, "--table: name the table to create; the embedded engine " +
			"creates its own when it starts; see `issuegrid table create --help`"},
		{"check --project DEMO", nil, usage, "--project: DEMO is not an id from GraphQL; a " +
			"project's key also needs --tenant; see `issuegrid check --help`"},
		{"--region eu-west-1", nil, usage, "--region: a region alone does not name a table; set " +
			"--table too" + seeServe},
		{"--endpoint localhost:8000", nil, usage, "--endpoint: localhost:8000 is not a URL such as " +
			"http://127.0.0.1:8000" + seeServe},
		{"--cors-origin https://a.example --cors-origin https://b.example/", nil, usage,
			"--cors-origin: https://b.example/ is not an origin such as https://app.example.com, " +
				"without a path or patterns, or * for all" + seeServe},
		{"--trusted-proxies=10.0.0.0/8,proxy.example.com", nil, usage, "--trusted-proxies"},
		{"--page-budget 0" + signIn, nil, usage, "--page-budget"},
		{"--log-format json --timeout 1ms", nil, usage, "--timeout"},
		{"serve", []string{"ISSUEGRID_LOG_FORMAT=xml"}, usage,
			`ISSUEGRID_LOG_FORMAT: "xml" is none of auto, text, json`},
		{"settings", []string{"ISSUEGRID_LOG_FORMAT=xml"}, failed,
			`ISSUEGRID_LOG_FORMAT: "xml" is none of auto, text, json`},
		{"settings", []string{"ISSUEGRID_LIMIT_TOKENS=many"}, failed, "expected a valid 64 bit int"},

		// A remote table and settings of the embedded engine, unless a flag overrides a variable.
		{"serve --table x --data d", nil, usage, "--data: |--table names"},
		{"serve --engine e" + nowhere, nil, usage, "--engine: |--endpoint names"},
		{"serve --sample" + nowhere, nil, usage, "--sample: "},
		{"check --table x --data d", nil, usage, "--data: "},
		{"import --table x --data d /dev/null", nil, usage, "--data: "},
		{"serve", []string{"ISSUEGRID_TABLE=x", "ISSUEGRID_DATA=d"}, usage,
			"ISSUEGRID_DATA: |ISSUEGRID_TABLE names"},
		{"serve --data d", []string{"ISSUEGRID_TABLE=x"}, usage, "--data: |ISSUEGRID_TABLE names"},
		{serve + nowhere, []string{"ISSUEGRID_DATA=d", "ISSUEGRID_SAMPLE=true"}, failed, "cannot be used"},
		{serve + " --no-sample" + nowhere, nil, failed, "cannot be used"},
		{serve, []string{"ISSUEGRID_ENDPOINT=http://127.0.0.1:1", "ISSUEGRID_DATA="}, failed,
			"cannot be used"},
		{serve + nowhere + signIn, []string{"ISSUEGRID_TABEL=x"}, failed, "cannot be used"},

		// Tables that cannot be reached. Nothing is sent to AWS.
		{serve + " --table tracker" + nowhere, nil, failed, "http://127.0.0.1:1|connection refused"},
		{"table create --table tracker" + nowhere, nil, failed, "http://127.0.0.1:1|connection refused"},
		{serve + " --table tracker", nil, failed, "no AWS region|--region|AWS_REGION"},
		{serve + " --table tracker --region eu-west-1", nil, failed, "no AWS credentials|AWS_PROFILE"},
		{"table create --table tracker --region eu-west-1", nil, failed, "no AWS credentials|AWS_PROFILE"},

		// A server listens beyond this machine only with a key, and a key requires its related settings.
		{"serve --addr :0", nil, usage, "--addr|--auth-jwks|127.0.0.1"},
		{"serve --auth-issuer x", nil, usage, "--auth-issuer|--auth-jwks"},
		{"serve --auth-tenant-claim org", nil, usage, "--auth-tenant-claim|need a key"},
		{"serve --auth-secret-file " + i.File, nil, usage, "--auth-issuer"},
		{"serve --auth-jwks https://id.test/keys" + signIn, nil, usage,
			"--auth-secret-file, --auth-jwks: both are set"},
		{serve + " --auth-jwks http://127.0.0.1:1/keys" + keyed, nil, early, "--auth-jwks"},
		{serve + " --auth-secret-file " + i.File + ".none" + keyed, nil, early,
			"--auth-secret-file|can't be read"},
		{serve + " --operations " + broken + ".none", nil, early, "--operations|" + broken + ".none"},
		{serve + " --operations " + broken, nil, early,
			"--operations|" + broken + "|" + `the operation "id"` + "|nothing"},

		// Addresses.
		{"--addr " + taken.Addr().String(), nil, early,
			taken.Addr().String() + "|is in use: stop the program|--addr"},
		{"--addr 8080" + signIn, nil, early, "cannot listen on 8080|--addr"},
		{"--addr 127.0.0.1:http-of-mine" + signIn, nil, early,
			"cannot listen on 127.0.0.1:http-of-mine|--addr"},
		{"--addr 192.0.2.1:8080" + signIn, nil, early, "cannot listen on 192.0.2.1:8080|--addr"},

		// Functions of AWS Lambda, before the first event.
		{"lambda" + nowhere + signIn, nil, failed, "runs on AWS Lambda only|" + lambda.Variable},
		{"lambda" + nowhere + signIn, []string{onLambda}, failed,
			"the table issuegrid at http://127.0.0.1:1|cannot be used|connection refused"},
		{"lambda" + signIn, []string{onLambda}, usage,
			"--table: name the table; the embedded engine does not run on Lambda|" + seeLambda},
		{"lambda" + nowhere, []string{onLambda}, usage,
			"--auth-jwks: the function can be reached" +
				" from other machines, and no sign-in would be required|" + seeLambda},
		{"lambda --table x --page-budget 0" + signIn, []string{onLambda}, usage,
			"--page-budget: 0 is out of range|" + seeLambda},
	} {
		t.Run(strings.Join(append(test.env, test.args), " "), func(t *testing.T) {
			t.Parallel()
			p := harness.Start(t, strings.Fields(test.args), harness.Env(test.env...))
			code := max(test.code, -test.code)
			p.Wants(code)
			p.Sentence(strings.Split(test.says, "|")...)
			said := p.Stderr.String()
			if code == usage && strings.Count(said, "\n") != 1 {
				t.Errorf("more than one line: %q", said)
			}
			if test.code == early && strings.Contains(said, "Starting on") {
				t.Error("the server listened before it failed")
			}
			if got := entries(t, p.Cmd.Dir); got != nil {
				t.Errorf("unexpected files: %q", got)
			}
			if !strings.HasPrefix(said, "{") {
				return
			}
			if fatal := p.Lines("fatal"); len(fatal) != 1 || fatal[0]["exit_code"] != float64(code) ||
				fatal[0]["version"] == nil {
				t.Errorf("%v", fatal)
			}
		})
	}
}
