package main

import (
	"time"

	"github.com/alecthomas/kong"

	"issuegrid/dynamo"
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
