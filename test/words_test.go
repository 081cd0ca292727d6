package test

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// stumbles are phrases that readers had to read twice, or took for errors: idioms of other languages, words
// that leave out what they count, and Go's reference date as an example.
var stumbles = []string{
	`inside of \d|inside of %d`, // inside 11 of ...
	`selection sets in each other`,
	`a letter first`,
	`\d of [Aa]-[zZ]\b`, // characters is missing
	"Without `first` and `last`",
	`behind this cursor`,
	`[Nn]o two of a project`,
	`change is not made again`,
	`took for more expensive`,
	`\bdear (queries|filter)`,
	`that are no browsers`,
	`[Ss]o long is a`,
	`learns who`,
	`[Ww]hat ends behind`,
	`\btells\b`,
	`[Ww]hoever`,
	`who he is`,
	`of the form 2006-01-02`,
}

// TestWords checks that these phrases are not in what users read: the schema, the documentation, and the
// messages of the program.
func TestWords(t *testing.T) {
	t.Parallel()
	files := []string{"schema.graphqls", "README.md", "CONTRIBUTING.md"}
	docs, err := filepath.Glob("../docs/*.md")
	if err != nil || len(docs) == 0 {
		t.Fatal(docs, err)
	}
	for _, name := range docs {
		files = append(files, "docs/"+filepath.Base(name))
	}
	for _, name := range goFiles(t) {
		if !strings.HasSuffix(name, "_test.go") {
			files = append(files, name)
		}
	}
	found := regexp.MustCompile(strings.Join(stumbles, "|"))
	for _, name := range files {
		text, err := os.ReadFile("../" + name)
		if err != nil {
			t.Fatal(err)
		}
		for i, line := range strings.Split(string(text), "\n") {
			if m := found.FindString(line); m != "" {
				t.Errorf("%s:%d: %q", name, i+1, m)
			}
		}
	}
	for _, phrase := range []string{"this is inside of 11 of `and`", "1 to 10 of A-Z", "what it tells"} {
		if !found.MatchString(phrase) {
			t.Errorf("%q is not found", phrase)
		}
	}
}
