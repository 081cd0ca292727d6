package setting_test

import (
	"testing"
	"time"

	"issuegrid/internal/setting"
	"issuegrid/tracker"
)

func TestSummary(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		d                      setting.Definition
		summary, limits, usual string
	}{
		{setting.Definition{Help: "A."}, "A.", "", ""},
		{setting.Definition{Help: "A.", Default: "x"}, "A. If not set, x.", "", "x"},
		{setting.Definition{Help: "A.", Default: true}, "A. If not set, on.", "", "on"},
		{setting.Definition{Help: "A.", Default: 2, Min: 1, Max: 3},
			"A. 1 to 3; if not set, 2.", "1 to 3", "2"},
		{setting.Definition{Help: "A.", Min: 1, Max: 3, UnsetMeans: "a half"},
			"A. 1 to 3; if not set, a half.", "1 to 3", "a half"},
		{setting.Definition{Help: "A.", Default: 2, Min: 1, Max: 3, ZeroMeans: "none"},
			"A. 1 to 3, 0 is none; if not set, 2.", "1 to 3, 0 is none", "2"},
		{setting.Definition{Help: "A.", Default: time.Minute, Min: time.Second, Max: 24 * time.Hour},
			"A. 1s to 24h; if not set, 1m.", "1s to 24h", "1m"},
		{setting.Definition{Help: "A.", Default: "auto", OneOf: []string{"auto", "b"},
			UnsetMeans: "the best"},
			"A. If not set, the best.", "", "the best"},
	} {
		if got := test.d.Summary(); got != test.summary {
			t.Errorf("%+v: summary %q, want %q", test.d, got, test.summary)
		}
		if got := test.d.Range(); got != test.limits {
			t.Errorf("%+v: range %q, want %q", test.d, got, test.limits)
		}
		if got := test.d.DefaultText(); got != test.usual {
			t.Errorf("%+v: usual %q, want %q", test.d, got, test.usual)
		}
	}
}

func TestText(t *testing.T) {
	t.Parallel()
	for want, value := range map[string]any{
		"0s": time.Duration(0), "1ns": time.Nanosecond, "10s": 10 * time.Second, "1m": time.Minute,
		"1m30s": 90 * time.Second, "20m": 20 * time.Minute,
		"24h": 24 * time.Hour, "1h10m": 70 * time.Minute, "1h0m5s": time.Hour + 5*time.Second,
		"2000000000": 2e9, "0.5": 0.5, "7": 7, "a,b": []string{"a", "b"},
	} {
		if got := setting.Text(value); got != want {
			t.Errorf("%v: %q, want %q", value, got, want)
		}
	}
}

// settings has a field of each type of number.
type settings struct {
	Int   int
	Int64 int64
	Float float64
	Time  time.Duration
	Name  string
	Auto  int
}

func definitions() []setting.Definition {
	return []setting.Definition{
		{Name: "Int", Default: 5, Min: 1, Max: 10},
		{Name: "Int64", Default: 5, Min: 0, Max: 1 << 40},
		{Name: "Float", Default: 5, Min: 1, Max: 10, ZeroMeans: "no limit"},
		{Name: "Time", Default: 5 * time.Second, Min: time.Second, Max: time.Minute},
		{Name: "Name", Default: "x"},
		{Name: "Auto", Min: 1, Max: 10, UnsetMeans: "what fits"},
	}
}

func TestComplete(t *testing.T) {
	t.Parallel()
	var s settings
	setting.Complete(&s, definitions())
	if want := (settings{5, 5, 5, 5 * time.Second, "x", 0}); s != want {
		t.Errorf("%+v, want %+v", s, want)
	}
	set := settings{1, 2, 3, 4, "5", 6}
	s = set
	if setting.Complete(&s, definitions()); s != set {
		t.Errorf("%+v, want %+v", s, set)
	}
}

func TestCheck(t *testing.T) {
	t.Parallel()
	for name, change := range map[string]func(*settings){
		"":      func(s *settings) { s.Int, s.Int64, s.Float, s.Time, s.Auto = 10, 0, 0, time.Minute, 0 },
		"Int":   func(s *settings) { s.Int = 11 },
		"Int64": func(s *settings) { s.Int64 = 1<<40 + 1 },
		"Float": func(s *settings) { s.Float = 0.5 },
		"Time":  func(s *settings) { s.Time = time.Minute + 1 },
		"Auto":  func(s *settings) { s.Auto = -1 },
	} {
		var s settings
		setting.Complete(&s, definitions())
		change(&s)
		err := setting.Check(&s, definitions())
		if name == "" && err == nil {
			continue
		}
		if e, ok := err.(*tracker.Error); !ok || e.Code != tracker.BadInput || e.Path != name {
			t.Errorf("%s: %v", name, err)
		}
	}
	level := setting.Definition{Name: "level", OneOf: []string{"low", "high"}}
	if level.Check("low") != nil || tracker.CodeOf(level.Check("")) != tracker.BadInput {
		t.Errorf("Check of low: %v; of an empty string: %v", level.Check("low"), level.Check(""))
	}
	d := definitions()[3]
	if want, err := "1m30s is out of range: 1s to "+
		"1m", d.Check(90*time.Second); err == nil || err.Error() != want {
		t.Errorf("%v, want %s", err, want)
	}
	defer func() {
		if recover() == nil {
			t.Error("Check did not panic for a definition without a field")
		}
	}()
	setting.Check(&settings{}, []setting.Definition{{Name: "None", Min: 1, Max: 2}})
}
