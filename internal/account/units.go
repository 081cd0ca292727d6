package account

import (
	"time"
	"unicode/utf8"
)

// The units of work, and the CPU time that each is counted as. Work is counted where a request can multiply
// it. The test of attacks (package graph) fails if an operation takes more than three times what it is
// counted as.
const (
	// RequestCPU is an operation: its connection, parsing and sending.
	RequestCPU = 100 * time.Microsecond
	// CallCPU is a call of DynamoDB: making, signing and sending the request, and receiving the response.
	CallCPU = 250 * time.Microsecond
	// FieldCPU is a field or object of a response that the executor resolves: its call or goroutine, and the
	// data to be written.
	FieldCPU = 3 * time.Microsecond
	// ValueCPU is a value: of a body, to decode, coerce and check it; a key of the index; a value of a
	// document that is compared or added.
	ValueCPU = time.Microsecond
	// ParseCPU is a byte of a query that is parsed and validated.
	ParseCPU = 100 * time.Nanosecond
	// FoldCPU is a byte of a string that is folded.
	FoldCPU = 12 * time.Nanosecond
	// ByteCPU is a byte that is received, decoded, encoded, compressed or sent.
	ByteCPU = 12 * time.Nanosecond
	// SearchCPU is a byte of a folded string that is searched.
	SearchCPU = time.Nanosecond
)

// NameCPU is the CPU time of normalizing a name, to compare it with others: it depends on the script.
func NameCPU(name string) time.Duration {
	for i := range len(name) {
		if name[i] >= utf8.RuneSelf {
			return time.Duration(len(name)) * ParseCPU
		}
	}
	return time.Duration(len(name)) * FoldCPU
}
