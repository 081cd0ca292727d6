package cli

import (
	"cmp"
	"runtime/debug"
)

// versionOf returns the version of the program: that of the build if set, or that of the module, which Go
// takes from a tag or a commit, or "devel".
func versionOf(build string) string {
	module := ""
	if info, ok := debug.ReadBuildInfo(); ok && info.Main.Version != "(devel)" {
		module = info.Main.Version
	}
	return cmp.Or(build, module, "devel")
}
