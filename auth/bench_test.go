package auth_test

import "testing"

// BenchmarkVerify verifies one token for each algorithm.
func BenchmarkVerify(b *testing.B) {
	set := bySet(b, issuerSet())
	b.Run("HS256", func(b *testing.B) {
		v, token := bySecret(b), issuerSecret.issue(nil, nil)
		for b.Loop() {
			if _, err := v.Verify(b.Context(), token); err != nil {
				b.Fatal(err)
			}
		}
	})
	for id, k := range issuerKeys() {
		b.Run(k.alg, func(b *testing.B) {
			token := k.issue(change{"kid": id}, nil)
			for b.Loop() {
				if _, err := set.Verify(b.Context(), token); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
	b.Run("unknown key", func(b *testing.B) {
		token := edKey().issue(change{"kid": "other"}, nil)
		for b.Loop() {
			if _, err := set.Verify(b.Context(), token); err == nil {
				b.Fatal("accepted")
			}
		}
	})
}
