// Package chaos has only tests: the built server as a child process, on an engine with faults on the way,
// while both are killed and started again.
//
// [TestChaos] lets clients change issues at random, writes down what they were told, and compares it with
// what the histories of the issues say in the end. [TestLaggingIndex] is about what grids show when the index
// is behind the table. They are small by default;
//
//	ISSUEGRID_CHAOS_MUTATIONS=20000 ISSUEGRID_CHAOS_SEED=7 \
//	  go test -run TestChaos -timeout 30m -v ./test/chaos
//
// makes a longer run, and one with the draws of another that has failed: every client draws the same, but
// what they meet depends on who is faster.
package chaos
