package test

import (
	"go/ast"
	"go/parser"
	"go/scanner"
	"go/token"
	"os"
	"strings"
	"testing"
	"unicode/utf8"
)

// maxColumns is the maximum width of a line of Go code; a tab counts as 4 columns. Lines of raw strings, such
// as queries and struct tags, are exempt.
const maxColumns = 110

// resolvers is exempt because gqlgen writes its signatures, each on one line.
const resolvers = "graph/schema.resolvers.go"

// TestFormat checks the width of the lines of files that are not generated.
func TestFormat(t *testing.T) {
	t.Parallel()
	for _, name := range goFiles(t) {
		text, err := os.ReadFile("../" + name)
		if err != nil {
			t.Fatal(err)
		}
		file, err := parser.ParseFile(token.NewFileSet(), name, text,
			parser.PackageClauseOnly|parser.ParseComments)
		if err != nil {
			t.Fatal(err)
		}
		if ast.IsGenerated(file) || name == resolvers {
			continue
		}
		for _, n := range longLines(text) {
			t.Errorf("%s:%d has more than %d columns; a tab counts as 4", name, n, maxColumns)
		}
	}
}

// longLines returns the numbers of the lines, outside of raw strings, that have too many columns.
func longLines(text []byte) (long []int) {
	raw := map[int]bool{}
	file := token.NewFileSet().AddFile("", -1, len(text))
	var s scanner.Scanner
	s.Init(file, text, nil, scanner.ScanComments)
	for {
		pos, kind, literal := s.Scan()
		if kind == token.EOF {
			break
		}
		if kind == token.STRING && literal[0] == '`' {
			for n := range strings.Count(literal, "\n") + 1 {
				raw[file.Line(pos)+n] = true
			}
		}
	}
	n := 0
	for line := range strings.Lines(string(text)) {
		n++
		line = strings.TrimSuffix(line, "\n")
		if utf8.RuneCountInString(line)+3*strings.Count(line, "\t") > maxColumns && !raw[n] {
			long = append(long, n)
		}
	}
	return long
}

// TestLongLines checks longLines.
func TestLongLines(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("x", maxColumns)
	text := "package p\n\n// " + long + "\nvar a = \"" + long + "\"\n\n" +
		"var b = `" + long + "\n" + long + "x\n`\n\n" +
		"var é = 1 // " + strings.Repeat("é", maxColumns-13) + "\n\n" +
		"func f() {\n\t//" + long[:maxColumns-6] + "\n\t//" + long[:maxColumns-5] + "\n}\n"
	got := longLines([]byte(text))
	if len(got) != 3 || got[0] != 3 || got[1] != 4 || got[2] != 14 {
		t.Errorf("long lines %v, want 3, 4 and 14 of:\n%s", got, text)
	}
}
