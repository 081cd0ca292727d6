package auth_test

import (
	"crypto/ed25519"
	"crypto/sha512"
	"encoding/hex"
	"strings"
	"testing"
)

// smallOrder are all encodings of the 8 points of small order that a decoder may accept: the canonical ones,
// those of x = 0 with the sign of -0, and those whose y is not reduced. They are published in "Taming the
// many EdDSAs" (Chalkias, Garillot, Nikolaenko; 2020), table 6.
var smallOrder = []string{
	"0100000000000000000000000000000000000000000000000000000000000000",
	"ecffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f",
	"0000000000000000000000000000000000000000000000000000000000000080",
	"0000000000000000000000000000000000000000000000000000000000000000",
	"c7176a703d4dd84fba3c0b760d10670f2a2053fa2c39ccc64ec7fd7792ac037a",
	"c7176a703d4dd84fba3c0b760d10670f2a2053fa2c39ccc64ec7fd7792ac03fa",
	"26e8958fc2b227b045c3f489f2ef98f0d5dfac05d3c63339b13802886d53fc05",
	"26e8958fc2b227b045c3f489f2ef98f0d5dfac05d3c63339b13802886d53fc85",
	"0100000000000000000000000000000000000000000000000000000000000080",
	"ecffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff",
	"eeffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f",
	"eeffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff",
	"edffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff",
	"edffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f",
}

// TestKeysOfSmallOrder forges a token for each key with S = 0 and R = the neutral point, which is a valid
// signature of about one message in 8, and checks that it is rejected.
func TestKeysOfSmallOrder(t *testing.T) {
	t.Parallel()
	good := edKey()
	neutral := append([]byte{1}, make([]byte, ed25519.SignatureSize-1)...)
	forged := 0
	for _, point := range smallOrder {
		public, err := hex.DecodeString(point)
		if err != nil {
			t.Fatal(err)
		}
		weak := change{"kty": "OKP", "crv": "Ed25519", "kid": "k", "x": encode(public)}
		v := bySet(t, jwks(weak, jwk(good.public, "good", nil)))
		for n := range 64 {
			signed := encode([]byte(text(change{"alg": "EdDSA", "kid": "k"}))) + "." +
				encode([]byte(payload(change{"n": n})))
			if ed25519.Verify(public, []byte(signed), neutral) {
				forged++
				checkRejected(t, v, signed+"."+encode(neutral), msgUnknownKey)
				break
			}
		}
		if why := noStart(t, jwks(weak)); !strings.Contains(why, "is an Ed25519 key of small order") {
			t.Errorf("a set of %s only: %s", point, why)
		}
	}
	if forged < 8 {
		t.Errorf("only %d of %d points allow a forgery, want at least 8", forged, len(smallOrder))
	}
}

// TestOrdinaryEd25519Keys checks that ordinary keys are accepted, with either sign of x.
func TestOrdinaryEd25519Keys(t *testing.T) {
	t.Parallel()
	signs := map[byte]bool{}
	for i := range 64 {
		seed := sha512.Sum512_256([]byte{byte(i)})
		private := ed25519.NewKeyFromSeed(seed[:])
		public := private.Public().(ed25519.PublicKey)
		signs[public[31]&0x80] = true
		k := key{"EdDSA", public, private}
		checkAccepted(t, bySet(t, jwks(jwk(public, "k", nil))), k.issue(change{"kid": "k"}, nil), ann)
	}
	if len(signs) != 2 {
		t.Error("all keys have the same sign")
	}
}
