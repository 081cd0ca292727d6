package cli

import (
	"os"
	"slices"
	"strings"

	"github.com/alecthomas/kong"
)

// origin is the source of a flag's value. A greater one overrides a smaller one.
type origin int

const (
	byDefault origin = iota
	byVariable
	byFlag
)

// originOf returns the source of the value of a flag.
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

// sourceName returns the name by which the user set a flag: the flag, or its variable.
func sourceName(k *kong.Context, name string) string {
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

// reservedPrefixes begin the names of other variables with the product's prefix: those of tests and tools,
// the version in images, and those of Kubernetes. For a service named issuegrid, Kubernetes sets
// ISSUEGRID_SERVICE_HOST and similar variables in all containers.
var reservedPrefixes = []string{"TEST_", "CI_", "CHAOS_", "REAL_DATA", "ALL_ORDERS", "RESTARTS", "SOAK",
	"ARTIFACTS",
	"URL", "VERSION", "SERVICE_HOST", "SERVICE_PORT", "PORT"}

// unknownVariables returns the environment variables that have the product's prefix and that no command
// reads.
func unknownVariables(parser *kong.Kong, environ []string) (unknown []string) {
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
		rest, begins := strings.CutPrefix(name, envPrefix+"_")
		if begins && !known[name] && !slices.ContainsFunc(reservedPrefixes, func(p string) bool {
			return strings.HasPrefix(rest, p)
		}) {
			unknown = append(unknown, name)
		}
	}
	slices.Sort(unknown)
	return unknown
}
