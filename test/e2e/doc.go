// Package e2e has only tests: the whole product on a real tracker's data, over HTTP. They need the data set,
// and so a build tag:
//
//	ISSUEGRID_REAL_DATA=/path/to/issues.csv.gz go test -tags realdata -timeout 40m ./test/e2e
package e2e
