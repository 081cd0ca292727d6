package auth_test

import (
	"testing"

	"issuegrid/auth"
)

// BenchmarkVerify verifies one token for each algorithm, and one with an unknown key.
func BenchmarkVerify(b *testing.B) {
	set := bySet(b, issuerSet())
	run := func(name string, v *auth.Verifier, token string, ok bool) {
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				if _, err := v.Verify(b.Context(), token); (err == nil) != ok {
					b.Fatal(err)
				}
			}
		})
	}
	run("HS256", bySecret(b), issuerSecret.issue(nil, nil), true)
	for id, k := range issuerKeys() {
		run(k.alg, set, k.issue(change{"kid": id}, nil), true)
	}
	run("unknown key", set, edKey().issue(change{"kid": "other"}, nil), false)
}
