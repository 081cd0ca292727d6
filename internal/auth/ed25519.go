package auth

import (
	"crypto/ed25519"
	"math/big"
	"slices"
)

// For a public key of small order, anyone can forge signatures. A valid signature satisfies the equation S*B
// = R + h*A. This holds for S = 0 whenever h*A is one of at most 8 points, so an attacker tries messages
// until it does. Package crypto/ed25519 accepts such keys, as RFC 8032 does. An attacker who can add a key to
// a JWK set could therefore add one that needs no private key.

// fieldPrime is the prime 2^255 - 19 of the curve's field.
var fieldPrime = new(big.Int).Sub(new(big.Int).Lsh(big.NewInt(1), 255), big.NewInt(19))

// smallOrder are the y coordinates of the 8 points whose order divides 8. Points that differ only in the sign
// of x have the same y: 1 (order 1), -1 (order 2), 0 (order 4), and y and -y of the points of order 8.
var smallOrder = func() []*big.Int {
	of8, _ := new(big.Int).SetString("7a03ac9277fdc74ec6cc392cfa53202a0f67100d760b3cba4fd84d3d706a17c7", 16)
	minus := func(y *big.Int) *big.Int { return new(big.Int).Sub(fieldPrime, y) }
	return []*big.Int{big.NewInt(1), minus(big.NewInt(1)), new(big.Int), of8, minus(of8)}
}()

// weakEd25519 reports whether a key is a point of small order, or has a y coordinate that is not reduced. A
// key is y in 32 bytes, least significant first, with the sign of x in the highest bit.
func weakEd25519(key ed25519.PublicKey) bool {
	if len(key) != ed25519.PublicKeySize {
		return true
	}
	encoded := slices.Clone(key)
	encoded[len(encoded)-1] &= 0x7f
	slices.Reverse(encoded)
	y := new(big.Int).SetBytes(encoded)
	return y.Cmp(fieldPrime) >= 0 || slices.ContainsFunc(smallOrder, func(small *big.Int) bool {
		return small.Cmp(y) == 0
	})
}
