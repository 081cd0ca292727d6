package cli

import (
	"io"
	"testing"

	"issuegrid/dynamo"
	"issuegrid/internal/telemetry"
)

// TestCallsOff checks that a table does not report its calls if metrics and traces are disabled.
func TestCallsOff(t *testing.T) {
	t.Parallel()
	for on, settings := range map[bool]telemetry.Settings{false: {Log: io.Discard},
		true: {Log: io.Discard, Metrics: true}} {
		tel, err := telemetry.New(t.Context(), settings)
		if err != nil {
			t.Fatal(err)
		}
		var table dynamo.Settings
		(&observer{Telemetry: tel}).observeCalls(&table)
		if (table.Observe != nil) != on {
			t.Errorf("with metrics %t: Observe is set: %t", on, table.Observe != nil)
		}
	}
}
