package cli

import (
	"cmp"
	"runtime/debug"
)

// versionOf is the version of the program: as the build calls it, or that of the module, which Go takes from
// a tag or a commit; devel if neither is known.
func versionOf(build string) string {
	module := ""
	if info, ok := debug.ReadBuildInfo(); ok && info.Main.Version != "(devel)" {
		module = info.Main.Version
	}
	return cmp.Or(build, module, "devel")
}
