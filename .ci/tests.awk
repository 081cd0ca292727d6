# Reads the output of `go test -v` and prints of each package the line with its result, the tests that it skipped, and everything
# when it failed. Fails when a test was skipped or none ran, because a check that does nothing must not look like one that passed. Tests that
# are skipped because they are for make verify (package test/tier) do not count.
# The exit code of go test itself is the pipe's business (pipefail). With -v all=1 everything is printed.

/^=== (RUN|PAUSE|CONT|NAME) / { next }

/: a test of make verify: / { verify = 1; next }

/^ *--- SKIP: / { if (verify) { verify = 0; next } skipped[++skips] = $3 }

/^ *--- PASS: / { passed++ }

{ lines[++n] = $0 }

# The last line of a package.
/^(ok  |\?   |FAIL)\t/ || /^\t.*\[no test files\]$/ {
    for (i = 1; i <= n; i++)
        if (all || $1 == "FAIL" || i == n || lines[i] ~ /--- SKIP: /)
            if (all || lines[i] !~ /^ *--- PASS: /)
                print lines[i]
    fflush()
    n = 0
}

END {
    for (i = 1; i <= n; i++)
        print lines[i]
    printf "%d tests passed, %d skipped\n", passed, skips
    for (i = 1; i <= skips; i++)
        print "skipped: " skipped[i]
    if (skips || !passed)
        exit 1
}
