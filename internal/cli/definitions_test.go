package cli

import (
	"errors"
	"fmt"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/alecthomas/kong"

	"issuegrid/internal/setting"
	"issuegrid/tracker"
)

// parser returns the parser that run uses.
func parser(t *testing.T) *kong.Kong {
	t.Helper()
	p, err := newParser(&commandLine{}, "")
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// eachFlag calls visit for each flag of each command, with arguments that select the command.
func eachFlag(parser *kong.Kong, visit func(args []string, f *kong.Flag, d setting.Definition)) {
	for _, command := range parser.Model.Leaves(false) {
		args := strings.Fields(command.FullPath())[1:]
		if len(command.Positional) > 0 {
			args = append(args, "FILE")
		}
		all := definitionsOf(command)
		for _, f := range command.Flags {
			visit(args, f, all[f.Name])
		}
	}
}

// TestDefinitions checks that the default and the range of a setting have its type, and that the default is
// in the range.
func TestDefinitions(t *testing.T) {
	t.Parallel()
	count, p := 0, parser(t)
	eachFlag(p, func(args []string, f *kong.Flag, d setting.Definition) {
		count++
		name := fmt.Sprintf("--%s of %s", f.Name, args)
		if len(f.Envs) != 1 || !strings.HasPrefix(f.Envs[0], envPrefix+"_") {
			t.Errorf("%s has the variables %q, want one with the prefix", name, f.Envs)
		}
		if !strings.HasSuffix(d.Help, ".") || strings.Contains(d.Help, "|") {
			t.Errorf("%s: help %q must end with a period and must not contain |", name, d.Help)
		}
		kind, isTime := f.Target.Kind(), f.Target.Type() == reflect.TypeFor[time.Duration]()
		number := kind == reflect.Int || kind == reflect.Int64 || kind == reflect.Float64
		if number != (d.Max != nil) || number != (d.Min != nil) {
			t.Errorf("%s is a %s, but its range is %v to %v", name, f.Target.Type(), d.Min, d.Max)
		}
		for _, value := range []any{d.Default, d.Min, d.Max} {
			same := reflect.TypeOf(value) == f.Target.Type()
			if _, whole := value.(int); value != nil && !same && !(whole && number && !isTime) {
				t.Errorf("%s: %v is a %T, but the setting is a %s", name, value, value, f.Target.Type())
			}
		}
		if d.Default != nil && d.Check(d.Default) != nil {
			t.Errorf("%s: invalid default: %v", name, d.Check(d.Default))
		}
	})
	if count < 80 {
		t.Errorf("got %d flags, want at least 80", count)
	}
}

// TestRanges checks the limits of each number and duration, set by its flag and by its variable.
func TestRanges(t *testing.T) {
	count, p := 0, parser(t)
	eachFlag(p, func(args []string, f *kong.Flag, d setting.Definition) {
		if d.Max == nil {
			return
		}
		count++
		for value, ok := range valuesAround(d) {
			_, err := p.Parse(append(args, "--"+f.Name+"="+value))
			checkRangeError(t, "--"+f.Name, value, err, ok)
			t.Setenv(f.Envs[0], value)
			_, err = p.Parse(args)
			checkRangeError(t, f.Envs[0], value, err, ok)
			t.Setenv(f.Envs[0], "")
			clearEmptyVariables()
		}
	})
	if count < 50 {
		t.Errorf("got %d ranges, want at least 50", count)
	}
}

// valuesAround returns values at both ends of a range and beyond them, and whether they are allowed.
func valuesAround(d setting.Definition) map[string]bool {
	low, high := reflect.ValueOf(d.Min), reflect.ValueOf(d.Max)
	step := func(v reflect.Value, by int64) string {
		next := reflect.New(v.Type()).Elem()
		next.SetInt(v.Int() + by)
		return setting.Text(next.Interface())
	}
	values := map[string]bool{setting.Text(d.Min): true, setting.Text(d.Max): true, step(high, 1): false}
	values["-1"+strings.TrimLeft(step(reflect.Zero(low.Type()), 0), "0")] = false
	if zero := d.ZeroMeans != "" || d.UnsetMeans != ""; low.Int() > 0 {
		values[step(low, -low.Int())] = zero
		if low.Int() > 1 {
			values[step(low, -1)] = false
		}
	}
	return values
}

func checkRangeError(t *testing.T, name, value string, err error, ok bool) {
	t.Helper()
	e, isBad := errors.AsType[*tracker.Error](err)
	refused := isBad && e.Path == name && strings.HasPrefix(e.Message, value+" is out of range: ")
	if refused == ok {
		t.Errorf("%s=%s: got error %v; want it allowed: %t", name, value, err, ok)
	}
}

// TestOneOf checks that a setting with a list of values rejects all others.
func TestOneOf(t *testing.T) {
	t.Parallel()
	count, p := 0, parser(t)
	eachFlag(p, func(args []string, f *kong.Flag, d setting.Definition) {
		for _, text := range append(d.OneOf, "else") {
			_, err := p.Parse(append(args, "--"+f.Name+"="+text))
			e, refused := errors.AsType[*tracker.Error](err)
			refused = refused && e.Path == "--"+f.Name && strings.Contains(e.Message, "none of")
			if d.OneOf != nil && refused != (text == "else") {
				t.Errorf("--%s=%s: unexpected result: error %v", f.Name, text, err)
			}
		}
		count += len(d.OneOf)
	})
	if count == 0 {
		t.Error("no setting has a list of values")
	}
}

// novelCmd has a setting that no other code refers to.
type novelCmd struct {
	NovelThings int
	all         []setting.Definition
}

func (c *novelCmd) definitions() []setting.Definition { return c.all }

// TestOneDefinition checks that a field and a definition are sufficient for a new setting.
func TestOneDefinition(t *testing.T) {
	var c struct {
		Serve novelCmd `cmd:""`
	}
	var out strings.Builder
	build := func(all ...setting.Definition) (*kong.Kong, error) {
		c.Serve = novelCmd{all: all}
		return kong.New(&c, kong.Writers(&out, &out), kong.Exit(func(int) {}), kong.DefaultEnvars(envPrefix),
			kong.PostBuild(define), kong.WithAfterApply(checkValues), kong.Help(printHelp))
	}
	novel := setting.Definition{
		Name: "novel-things", Default: 7, Min: 1, Max: 9, Help: "Most things.", Rare: true,
	}
	parser, err := build(novel)
	if err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct {
		flag, variable string
		want           int
		says           string
	}{
		{"", "", 7, ""},
		{"--novel-things=1", "", 1, ""},
		{"", "9", 9, ""},
		{"--novel-things=2", "9", 2, ""},
		{"--novel-things=10", "9", 10, "--novel-things: 10 is out of range: 1 to 9"},
		{"", "0", 0, "ISSUEGRID_NOVEL_THINGS: 0 is out of range: 1 to 9"},
		{"", "many", 0, "--novel-things: expected a valid 64 bit int but got \"many\" " +
			"(from envar ISSUEGRID_NOVEL_THINGS=\"many\")"},
	} {
		t.Setenv("ISSUEGRID_NOVEL_THINGS", test.variable)
		clearEmptyVariables()
		_, err := parser.Parse(strings.Fields("serve " + test.flag))
		message := ""
		if err != nil {
			message = sentence(err)
		}
		if c.Serve.NovelThings != test.want || message != test.says {
			t.Errorf("%+v: got %d, error %q", test, c.Serve.NovelThings, message)
		}
	}
	t.Setenv("ISSUEGRID_NOVEL_THINGS", "")
	clearEmptyVariables()
	help := func() string {
		out.Reset()
		parser.Parse([]string{"serve", "--help"})
		return out.String()
	}
	text := help()
	if strings.Contains(text, "--novel-things") || !strings.HasSuffix(text, "\n\n"+whereRare+"\n") {
		t.Errorf("the help must omit a rare setting:\n%s", text)
	}
	novel.Rare = false
	if parser, err = build(novel); err != nil {
		t.Fatal(err)
	}
	want := "Most things. 1 to 9; if not set, 7 ($ISSUEGRID_NOVEL_THINGS)."
	if text := strings.Join(strings.Fields(help()), " "); !strings.HasSuffix(text, "--novel-things=N "+want) {
		t.Errorf("the help lacks the setting: %s", text)
	}
	_, err = build()
	if err == nil || !strings.Contains(err.Error(), "--novel-things of serve has no definition") {
		t.Errorf("flag without a definition: got error %v", err)
	}
	_, err = build(novel, setting.Definition{Name: "none"})
	if err == nil || !strings.Contains(err.Error(), "none of serve has no flag") {
		t.Errorf("definition without a flag: got error %v", err)
	}
}

func TestHyphenated(t *testing.T) {
	t.Parallel()
	for name, want := range map[string]string{
		"Body": "body", "AnswerFields": "answer-fields", "JWKS": "jwks", "": "",
	} {
		if got := hyphenated(name); got != want {
			t.Errorf("hyphenated(%q) = %q, want %q", name, got, want)
		}
	}
}
