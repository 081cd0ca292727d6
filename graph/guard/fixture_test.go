package guard_test

// slower is the factor by which tests do less work under the race detector, which makes everything several
// times slower.
var slower = 1
