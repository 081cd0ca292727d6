package cli

import (
	"os"
	"slices"
	"strings"

	"github.com/alecthomas/kong"
)

// origin is where the value of a flag comes from. A later one is nearer to who starts the program.
type origin int

const (
	byDefault origin = iota
	byVariable
	byFlag
)

// originOf tells where the value of a flag of a command comes from.
func originOf(k *kong.Context, name string) origin {
	for _, p := range k.Path {
		if p.Flag != nil && p.Flag.Name == name {
			return byFlag
		}
	}
	for _, f := range k.Flags() {
		if f.Name == name && slices.ContainsFunc(f.Envs, isSet) {
			return byVariable
		}
	}
	return byDefault
}

// given names the setting as who has given it wrote it: the flag, or its variable.
func given(k *kong.Context, name string) string {
	if originOf(k, name) == byVariable {
		for _, f := range k.Flags() {
			if f.Name == name {
				return f.Envs[0]
			}
		}
	}
	return "--" + name
}

func isSet(variable string) bool {
	_, ok := os.LookupEnv(variable)
	return ok
}

// ours begin the variables of the product's tests and tools, those in which images keep their version, and
// those of Kubernetes, which sets ISSUEGRID_SERVICE_HOST and the like in the containers beside a service that
// is called issuegrid.
var ours = []string{"TEST_", "CI_", "CHAOS_", "REAL_DATA", "ALL_ORDERS", "RESTARTS", "SOAK", "ARTIFACTS",
	"URL", "VERSION", "SERVICE_HOST", "SERVICE_PORT", "PORT"}

// strangeVariables are those of the environment that are named as if they stood for a flag, and that no
// command reads.
func strangeVariables(parser *kong.Kong, environ []string) (strange []string) {
	known := map[string]bool{}
	for _, command := range parser.Model.Leaves(true) {
		for _, f := range command.Flags {
			for _, v := range f.Envs {
				known[v] = true
			}
		}
	}
	for _, v := range environ {
		name, _, _ := strings.Cut(v, "=")
		rest, begins := strings.CutPrefix(name, variables+"_")
		if begins && !known[name] && !slices.ContainsFunc(ours, func(p string) bool {
			return strings.HasPrefix(rest, p)
		}) {
			strange = append(strange, name)
		}
	}
	slices.Sort(strange)
	return strange
}
