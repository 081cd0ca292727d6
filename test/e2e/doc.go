// Package e2e contains only tests of the whole product over HTTP, with the data of a real tracker. They need
// the data set and a build tag:
//
//	ISSUEGRID_REAL_DATA=/path/to/issues.csv.gz go test -tags realdata -timeout 40m ./test/e2e
package e2e
