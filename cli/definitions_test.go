package cli

import (
	"errors"
	"fmt"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/alecthomas/kong"

	"issuegrid/setting"
	"issuegrid/tracker"
)

// parser parses command lines as run does.
func parser(t *testing.T) *kong.Kong {
	t.Helper()
	p, err := newParser(&commandLine{}, "")
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// eachFlag calls a function for each flag of each command of a parser, with arguments that choose the
// command.
func eachFlag(parser *kong.Kong, see func(args []string, f *kong.Flag, d setting.Definition)) {
	for _, command := range parser.Model.Leaves(false) {
		args := strings.Fields(command.FullPath())[1:]
		if len(command.Positional) > 0 {
			args = append(args, "FILE")
		}
		all := definitionsOf(command)
		for _, f := range command.Flags {
			see(args, f, all[f.Name])
		}
	}
}

// TestDefinitions: the default and the range of a setting are of its type, and the default is in the range.
func TestDefinitions(t *testing.T) {
	t.Parallel()
	seen, p := 0, parser(t)
	eachFlag(p, func(args []string, f *kong.Flag, d setting.Definition) {
		seen++
		name := fmt.Sprintf("--%s of %s", f.Name, args)
		if len(f.Envs) != 1 || !strings.HasPrefix(f.Envs[0], envPrefix+"_") {
			t.Errorf("%s has the variables %q", name, f.Envs)
		}
		if !strings.HasSuffix(d.Help, ".") || strings.Contains(d.Help, "|") {
			t.Errorf("%s: %q", name, d.Help)
		}
		kind, isTime := f.Target.Kind(), f.Target.Type() == reflect.TypeFor[time.Duration]()
		number := kind == reflect.Int || kind == reflect.Int64 || kind == reflect.Float64
		if number != (d.Max != nil) || number != (d.Min != nil) {
			t.Errorf("%s is a %s, with the range %v to %v", name, f.Target.Type(), d.Min, d.Max)
		}
		for _, value := range []any{d.Default, d.Min, d.Max} {
			same := reflect.TypeOf(value) == f.Target.Type()
			if _, whole := value.(int); value != nil && !same && !(whole && number && !isTime) {
				t.Errorf("%s: %v is a %T, the setting a %s", name, value, value, f.Target.Type())
			}
		}
		if d.Default != nil && d.Check(d.Default) != nil {
			t.Errorf("the default of %s: %v", name, d.Check(d.Default))
		}
	})
	if seen < 80 {
		t.Errorf("there are %d flags", seen)
	}
}

// TestRanges: each number and time is checked at both ends of its range, set by its flag and by its variable.
func TestRanges(t *testing.T) {
	seen, p := 0, parser(t)
	eachFlag(p, func(args []string, f *kong.Flag, d setting.Definition) {
		if d.Max == nil {
			return
		}
		seen++
		for value, ok := range valuesAround(d) {
			_, err := p.Parse(append(args, "--"+f.Name+"="+value))
			checkAnswer(t, "--"+f.Name, value, err, ok)
			t.Setenv(f.Envs[0], value)
			_, err = p.Parse(args)
			checkAnswer(t, f.Envs[0], value, err, ok)
			t.Setenv(f.Envs[0], "")
			clearEmptyVariables()
		}
	})
	if seen < 50 {
		t.Errorf("there are %d ranges", seen)
	}
}

// valuesAround are values at both ends of a range and beyond them, and whether they are allowed.
func valuesAround(d setting.Definition) map[string]bool {
	low, high := reflect.ValueOf(d.Min), reflect.ValueOf(d.Max)
	step := func(v reflect.Value, by int64) string {
		next := reflect.New(v.Type()).Elem()
		next.SetInt(v.Int() + by)
		return setting.Text(next.Interface())
	}
	values := map[string]bool{setting.Text(d.Min): true, setting.Text(d.Max): true, step(high, 1): false}
	values["-1"+strings.TrimLeft(step(reflect.Zero(low.Type()), 0), "0")] = false
	if zero := d.Zero != "" || d.Unset != ""; low.Int() > 0 {
		values[step(low, -low.Int())] = zero
		if low.Int() > 1 {
			values[step(low, -1)] = false
		}
	}
	return values
}

func checkAnswer(t *testing.T, name, value string, err error, ok bool) {
	t.Helper()
	e, isBad := errors.AsType[*tracker.Error](err)
	refused := isBad && e.Path == name && strings.HasPrefix(e.Message, value+" is out of range: ")
	if refused == ok {
		t.Errorf("%s=%s: %v; want it allowed: %t", name, value, err, ok)
	}
}

// TestOneOf: a setting that is one of some texts is nothing else.
func TestOneOf(t *testing.T) {
	t.Parallel()
	seen, p := 0, parser(t)
	eachFlag(p, func(args []string, f *kong.Flag, d setting.Definition) {
		for _, text := range append(d.OneOf, "else") {
			_, err := p.Parse(append(args, "--"+f.Name+"="+text))
			e, refused := errors.AsType[*tracker.Error](err)
			refused = refused && e.Path == "--"+f.Name && strings.Contains(e.Message, "none of")
			if d.OneOf != nil && refused != (text == "else") {
				t.Errorf("--%s=%s: %v", f.Name, text, err)
			}
		}
		seen += len(d.OneOf)
	})
	if seen == 0 {
		t.Error("there are none")
	}
}

// novelCmd has a setting that no other code knows.
type novelCmd struct {
	NovelThings int
	all         []setting.Definition
}

func (c *novelCmd) definitions() []setting.Definition { return c.all }

// TestOneDefinition: a field and its definition are all that a setting takes.
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
		said := ""
		if err != nil {
			said = sentence(err)
		}
		if c.Serve.NovelThings != test.want || said != test.says {
			t.Errorf("%+v: %d, %q", test, c.Serve.NovelThings, said)
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
		t.Errorf("help of a rare setting:\n%s", text)
	}
	novel.Rare = false
	if parser, err = build(novel); err != nil {
		t.Fatal(err)
	}
	want := "Most things. 1 to 9; if not set, 7 ($ISSUEGRID_NOVEL_THINGS)."
	if text := strings.Join(strings.Fields(help()), " "); !strings.HasSuffix(text, "--novel-things=N "+want) {
		t.Errorf("help of a setting: %s", text)
	}
	_, err = build()
	if err == nil || !strings.Contains(err.Error(), "--novel-things of serve has no definition") {
		t.Errorf("a flag without a definition: %v", err)
	}
	_, err = build(novel, setting.Definition{Name: "none"})
	if err == nil || !strings.Contains(err.Error(), "none of serve has no flag") {
		t.Errorf("a definition without a flag: %v", err)
	}
}

func TestHyphenated(t *testing.T) {
	t.Parallel()
	for name, want := range map[string]string{
		"Body": "body", "AnswerFields": "answer-fields", "JWKS": "jwks", "": "",
	} {
		if got := hyphenated(name); got != want {
			t.Errorf("%s: %s, want %s", name, got, want)
		}
	}
}
