//go:build tools

package main

// The code generator is a tool of the module, so that its version is pinned.
import _ "github.com/99designs/gqlgen"
