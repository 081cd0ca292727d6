package main

import (
	"cmp"
	"runtime/debug"
)

// version is what the build is called, where it says so: go build -ldflags "-X main.version=v1.2.3".
var version string

// versionOf is the version of the program: as the build says, or that of the module, which Go takes from a tag or a commit; devel if neither is known.
func versionOf() string {
	module := ""
	if info, ok := debug.ReadBuildInfo(); ok && info.Main.Version != "(devel)" {
		module = info.Main.Version
	}
	return cmp.Or(version, module, "devel")
}
