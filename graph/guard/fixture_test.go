package guard_test

// slower is how much fewer is done under the race detector, where everything takes several times as long.
var slower = 1
