package cli

import (
	"testing"
	"testing/synctest"
	"time"

	"issuegrid/dynamo"
	"issuegrid/internal/account"
	"issuegrid/tracker"
)

// TestPace checks that the jobs of a tenant have half of its rates.
func TestPace(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		for _, c := range []struct {
			flags trafficFlags
			wait  time.Duration
		}{{trafficFlags{TenantRCU: 20, TenantWCU: 10}, 3 * time.Second},
			{trafficFlags{TenantRCU: 20}, time.Second}} {
			var d dynamo.Settings
			c.flags.pace(&d)
			begun := time.Now()
			d.Spent("acme", account.Cost{RCU: 100, WCU: 40, Unreported: account.Capacity{WCU: 20}})
			d.Spent("rival", account.Cost{RCU: 99, WCU: 49})
			for _, tenant := range []tracker.TenantID{"rival", "acme"} {
				if err := d.Pace(t.Context(), tenant); err != nil {
					t.Fatal(err)
				}
				if took := time.Since(begun); took != map[tracker.TenantID]time.Duration{
					"acme": c.wait}[tenant] {
					t.Errorf("%+v: %s waited for a total of %s", c.flags, tenant, took)
				}
			}
		}
	})
}
