# Prints a regular expression for go test -run with the names of the tests in the given files that start goroutines: whose function has a
# go statement, a call of a method Go, or the runner of jobs.

/^func Test/ { name = substr($2, 1, index($2, "(") - 1) }
/^}/ { name = "" }
name != "" && /(^|[ \t])go func|\.Go\(func|(^|[ \t])go [a-z]|\.db\.RunJobs\(/ {
    sub(/^Test/, "", name)
    if (!(name in seen)) names = names (names == "" ? "" : "|") name
    seen[name]
}
END { printf "^Test(%s)$\n", names }
