package cli

import (
	"net/url"
	"strings"
	"time"

	"github.com/alecthomas/kong"

	"issuegrid/auth"
	"issuegrid/dynamo"
	"issuegrid/graph/guard"
	"issuegrid/httpd"
	"issuegrid/telemetry"
	"issuegrid/tracker"
)

const (
	// maxPageBudget is so much that hardly a page is ever ended by it.
	maxPageBudget = 1_000_000
	// maxDays is a hundred years.
	maxDays = 36_500
)

// apiFlags say how the API answers and whom, wherever it is served.
type apiFlags struct {
	CORSOrigin  []string   `help:"Origins whose pages may use the API, such as https://app.example.com; * is all. If not set, those of this machine: localhost, 127.0.0.1 and ::1, on any port." placeholder:"ORIGIN"`
	PageBudget  int        `help:"Most work that goes into one page of a grid, in documents (0.5 RCU each); 40 keys of the index count as one. ${default} if not set." default:"2000" placeholder:"N"`
	HistoryDays int        `help:"How many days the history of an issue goes back, ${default} if not set." default:"365" placeholder:"N"`
	TrashDays   int        `help:"For how many days a deleted issue can be restored, ${default} if not set." default:"30" placeholder:"N"`
	Auth        authFlags  `embed:"" prefix:"auth-"`
	Limit       limitFlags `embed:"" prefix:"limit-"`
	schemaFlags
	trafficFlags
}

// check refuses what can't be meant, of an API that is reached at an address.
func (f *apiFlags) check(k *kong.Context, addr string) (err error) {
	if f.CORSOrigin, err = parseOrigins(f.CORSOrigin); err != nil {
		return err
	}
	if f.PageBudget < 1 || f.PageBudget > maxPageBudget {
		return tracker.Bad("--page-budget", "%d is out of range: a budget is 1 to %d", f.PageBudget, maxPageBudget)
	}
	for flag, days := range map[string]int{"--history-days": f.HistoryDays, "--trash-days": f.TrashDays} {
		if days < 1 || days > maxDays {
			return tracker.Bad(flag, "%d is out of range: 1 to %d days", days, maxDays)
		}
	}
	f.schemaFlags.settle(k)
	if err := f.Auth.check(k, addr); err != nil {
		return err
	}
	if err := f.trafficFlags.check(); err != nil {
		return err
	}
	return f.Limit.check()
}

// keep says to a table for how long it keeps what is replaced or deleted.
func (f *apiFlags) keep(d *dynamo.Settings) {
	d.KeepHistory, d.KeepTrash = time.Duration(f.HistoryDays)*24*time.Hour, time.Duration(f.TrashDays)*24*time.Hour
}

// chain says what the API is, wherever it is served.
func (f *apiFlags) chain(t *telemetry.Telemetry, c *httpd.Control, v *auth.Verifier, o guard.Options) httpd.Settings {
	return httpd.Settings{Telemetry: t, Control: c, Verifier: v, Origins: f.CORSOrigin, Pages: httpd.Pages(f.pageFlags), PageBudget: f.PageBudget, Timeout: f.Timeout, GraphQL: o}
}

// parseOrigins checks origins and writes them as browsers do: in lower case, without the port that the scheme implies.
func parseOrigins(origins []string) ([]string, error) {
	var parsed []string
	for _, origin := range origins {
		if origin == "*" {
			parsed = append(parsed, origin)
			continue
		}
		u, err := url.Parse(strings.ToLower(origin))
		if err != nil || u.Scheme == "" || u.Hostname() == "" || u.User != nil || strings.Contains(u.Host, "*") ||
			!strings.HasSuffix(strings.ToLower(origin), "://"+u.Host) {
			return nil, tracker.Bad("--cors-origin", "%s is no origin such as https://app.example.com, without a path and without patterns, nor * for all", origin)
		}
		if port := u.Port(); u.Scheme == "http" && port == "80" || u.Scheme == "https" && port == "443" {
			u.Host = strings.TrimSuffix(u.Host, ":"+port)
		}
		parsed = append(parsed, u.Scheme+"://"+u.Host)
	}
	return parsed, nil
}
