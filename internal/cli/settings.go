package cli

import (
	"fmt"
	"slices"
	"strings"

	"github.com/alecthomas/kong"

	"issuegrid/internal/setting"
)

// settingsCmd prints all settings of serve, which has every setting of a server.
type settingsCmd struct{}

// Help returns the text that kong prints above the flags.
func (*settingsCmd) Help() string {
	return "Each setting has a flag and an environment variable. The values of variables are checked " +
		"and shown."
}

// Run prints the settings.
func (*settingsCmd) Run(c *console, k *kong.Kong) error {
	i := slices.IndexFunc(k.Model.Children, func(n *kong.Node) bool { return n.Name == "serve" })
	serve := k.Model.Children[i]
	all, texts := definitionsOf(serve), []string(nil)
	for _, f := range serve.Flags {
		d, variable := all[f.Name], f.Envs[0]
		if err := f.Reset(); err != nil { // to the environment variable, or the default
			return err
		}
		if err := checkFlag(d, f, variable); err != nil {
			return err
		}
		text := d.Summary()
		if isSet(variable) {
			text += " It is set to " + setting.Text(f.Target.Interface()) + "."
		}
		text = strings.Join(wrapped(text, 76), "\n    ")
		texts = append(texts, fmt.Sprintf("%s (%s)\n    %s", variable, f.Summary(), text))
	}
	c.say("%s", strings.Join(texts, "\n"))
	return nil
}

// wrapped breaks a string at spaces into lines of at most width bytes.
func wrapped(text string, width int) (lines []string) {
	line := ""
	for _, word := range strings.Fields(text) {
		if line != "" && len(line)+1+len(word) > width {
			lines, line = append(lines, line), ""
		}
		if line != "" {
			line += " "
		}
		line += word
	}
	return append(lines, line)
}
