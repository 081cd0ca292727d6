package cli

import (
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/alecthomas/kong"

	"issuegrid/dynamo"
	"issuegrid/graph/guard"
	"issuegrid/internal/auth"
	"issuegrid/internal/httpd"
	"issuegrid/internal/setting"
	"issuegrid/internal/telemetry"
	"issuegrid/tracker"
)

// maxDays is 100 years.
const maxDays = 36_500

// apiFlags configure the API, for all commands that serve it.
type apiFlags struct {
	CORSOrigin  []string
	PageBudget  int
	HistoryDays int
	TrashDays   int
	Auth        authFlags    `embed:"" prefix:"auth-"`
	Limit       guard.Limits `embed:"" prefix:"limit-"`
	schemaFlags
	trafficFlags
}

func (f *apiFlags) definitions() []setting.Definition {
	return slices.Concat([]setting.Definition{
		{Name: "cors-origin", Placeholder: "ORIGIN",
			UnsetMeans: "origins on this machine (localhost, 127.0.0.1 and ::1, on any port)",
			Help: "Origins whose pages may use the API, such as https://app.example.com; * allows " +
				"all."},
		{Name: "page-budget", Default: 2000, Min: 1, Max: 1_000_000, Rare: true,
			Help: "Maximum work for one page of a grid, in documents (0.5 RCU each); 40 index keys " +
				"count as one document."},
		{Name: "history-days", Default: 365, Min: 1, Max: maxDays,
			Help: "How many days the history of an issue or a project is kept."},
		{Name: "trash-days", Default: 30, Min: 1, Max: maxDays,
			Help: "How many days a deleted issue or project can be restored."},
	}, prefixed("auth-", auth.Definitions()), prefixed("limit-", limitSettings()),
		f.schemaFlags.definitions(), f.trafficFlags.definitions())
}

// limitSettings returns the limits of a request that are settings.
func limitSettings() []setting.Definition {
	return slices.DeleteFunc(guard.LimitDefinitions(), func(d setting.Definition) bool { return d.Fixed })
}

// check validates the flags of an API that listens on addr.
func (f *apiFlags) check(k *kong.Context, addr string) (err error) {
	if f.CORSOrigin, err = parseOrigins(f.CORSOrigin); err != nil {
		return err
	}
	f.schemaFlags.settle(k)
	return f.Auth.check(k, addr)
}

// setRetention sets how long the table keeps history and deleted issues.
func (f *apiFlags) setRetention(d *dynamo.Settings) {
	d.KeepHistory, d.KeepTrash = time.Duration(f.HistoryDays)*24*time.Hour,
		time.Duration(f.TrashDays)*24*time.Hour
}

// httpSettings returns the settings of the HTTP handlers that all commands share.
func (f *apiFlags) httpSettings(t *telemetry.Telemetry, c *httpd.Control, v *auth.Verifier,
	o guard.Options) httpd.Settings {
	return httpd.Settings{Telemetry: t, Control: c, Verifier: v, Origins: f.CORSOrigin,
		Pages: httpd.Pages(f.pageFlags), PageBudget: f.PageBudget, GraphQL: o}
}

// parseOrigins validates origins and returns them in the form that browsers send: in lower case, without the
// default port of the scheme.
func parseOrigins(origins []string) ([]string, error) {
	var parsed []string
	for _, origin := range origins {
		if origin == "*" {
			parsed = append(parsed, origin)
			continue
		}
		u, err := url.Parse(strings.ToLower(origin))
		if err != nil || u.Scheme == "" || u.Hostname() == "" || u.User != nil ||
			strings.Contains(u.Host, "*") ||
			!strings.HasSuffix(strings.ToLower(origin), "://"+u.Host) {
			return nil, tracker.Bad("--cors-origin",
				"%s is not an origin such as https://app.example.com, without a path or patterns, or * "+
					"for all", origin)
		}
		if port := u.Port(); u.Scheme == "http" && port == "80" || u.Scheme == "https" && port == "443" {
			u.Host = strings.TrimSuffix(u.Host, ":"+port)
		}
		parsed = append(parsed, u.Scheme+"://"+u.Host)
	}
	return parsed, nil
}
