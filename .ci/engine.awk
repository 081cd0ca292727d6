# Prints a regular expression for go test -run with the names of the tests in the given files that have the directive //test:engine in
# their comment: what they ask, two engines can answer differently. Among that are expressions, transactions and their reasons, batches,
# the order and the pages of the index, sizes, errors, segments of scans, and tokens.

$0 == "//test:engine" { marked = 1; next }
marked && /^func Test/ {
    name = substr($2, 5, index($2, "(") - 5)
    names = names (names == "" ? "" : "|") name
}
{ marked = 0 }
END { printf "^Test(%s)$\n", names }
