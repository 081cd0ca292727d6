package auth_test

import (
	"crypto"
	"crypto/ecdsa"
	"crypto/ed25519"
	"crypto/rand"
	"crypto/rsa"
	"crypto/sha256"
	"crypto/x509"
	"encoding/pem"
	"slices"
	"strings"
	"testing"
)

// TestGoodTokens checks that every algorithm works with its key.
func TestGoodTokens(t *testing.T) {
	t.Parallel()
	secret, set := bySecret(t), bySet(t, issuerSet())
	checkAccepted(t, secret, issuerSecret.issue(nil, nil), ann)
	checkAccepted(t, secret, issuerSecret.issue(change{"kid": "any"}, nil), ann)
	for id, k := range issuerKeys() {
		checkAccepted(t, set, k.issue(change{"kid": id}, nil), ann)
		checkAccepted(t, set, k.issue(change{"kid": id, "typ": "at+jwt"}, nil), ann)
		checkAccepted(t, set, k.issue(change{"kid": id, "typ": "application/AT+JWT"}, nil), ann)
		checkAccepted(t, set, k.issue(change{"kid": id, "typ": absent{}}, nil), ann)
	}
}

// TestNone checks that unsigned tokens are rejected.
func TestNone(t *testing.T) {
	t.Parallel()
	secret, set := bySecret(t), bySet(t, issuerSet())
	for _, alg := range []any{"none", "None", "NONE", "nOnE", "none ", " none", "none\x00", "ｎｏｎｅ", "",
		"null", "false",
		nil, false, 0, []string{"none"}, []string{"HS256"},
		map[string]string{"alg": "HS256"}, "HS256,none", "hs256", "HS256 ", "rs256", absent{}} {
		header := text(with(change{"typ": "JWT", "kid": "rsa"}, change{"alg": alg}))
		unsigned := encode([]byte(header)) + "." + encode([]byte(payload(nil))) + "."
		for _, signature := range []string{"", encode([]byte("none")),
			encode(issuerSecret.sign(strings.TrimSuffix(unsigned, ".")))} {
			checkRejected(t, secret, unsigned+signature, msgHS)
			checkRejected(t, set, unsigned+signature, msgAsymmetric)
		}
	}
}

// TestKeyConfusion signs with public data as if it were the secret, and with keys of other ids or algorithms
// (A1).
func TestKeyConfusion(t *testing.T) {
	t.Parallel()
	secret, set := bySecret(t), bySet(t, issuerSet())
	for id, k := range issuerKeys() {
		pkix := must(x509.MarshalPKIXPublicKey(k.public))
		block := pem.EncodeToMemory(&pem.Block{Type: "PUBLIC KEY", Bytes: pkix})
		one := jwk(k.public, id, nil)
		public := [][]byte{pkix, block, []byte(strings.TrimSpace(string(block))), []byte(text(one)),
			issuerSet(), []byte(id), nil, {0}}
		switch p := k.public.(type) {
		case *rsa.PublicKey:
			public = append(public, x509.MarshalPKCS1PublicKey(p), p.N.Bytes(), []byte(one["n"].(string)),
				pem.EncodeToMemory(&pem.Block{Type: "RSA PUBLIC KEY", Bytes: x509.MarshalPKCS1PublicKey(p)}))
		case *ecdsa.PublicKey:
			public = append(public, must(p.Bytes()))
		case ed25519.PublicKey:
			public = append(public, p)
		}
		for _, material := range public {
			forger := hmacKey(material)
			checkRejected(t, set, forger.issue(change{"kid": id}, nil), msgAsymmetric)
			forger.alg = k.alg
			checkRejected(t, set, forger.issue(change{"kid": id}, nil), msgSignature)
		}
		for other, wrong := range issuerKeys() {
			if other == id {
				continue
			}
			// One key's signature with the algorithm or the id of another.
			checkRejected(t, set, wrong.issue(change{"kid": other, "alg": k.alg}, nil), msgSignature)
			checkRejected(t, set, wrong.issue(change{"kid": id}, nil), msgSignature)
			checkRejected(t, set, wrong.issue(change{"kid": id, "alg": k.alg}, nil), msgSignature)
		}
		checkRejected(t, secret, k.issue(change{"kid": id}, nil), msgHS)
		checkRejected(t, secret, k.issue(change{"kid": id, "alg": "HS256"}, nil), msgSignature)
	}
	// A valid signature by an algorithm that the key supports but the verifier does not.
	private := issuerKeys()["rsa"].secret.(*rsa.PrivateKey)
	signed := func(alg string) string {
		return encode([]byte(text(change{"alg": alg, "kid": "rsa"}))) + "." + encode([]byte(payload(nil)))
	}
	check := func(alg string, options crypto.SignerOpts, want string) {
		t.Helper()
		hash := options.HashFunc().New()
		hash.Write([]byte(signed(alg)))
		signature := must(private.Sign(rand.Reader, hash.Sum(nil), options))
		checkRejected(t, set, signed(alg)+"."+encode(signature), want)
	}
	check("RS512", crypto.SHA512, msgAsymmetric)
	check("PS256", &rsa.PSSOptions{Hash: crypto.SHA256}, msgAsymmetric)
	check("RS256", &rsa.PSSOptions{Hash: crypto.SHA256}, msgSignature)
	checkRejected(t, secret, strings.Replace(issuerSecret.issue(nil, nil), encode([]byte(`{"alg":"HS256"`)),
		encode([]byte(`{"alg":"HS512"`)), 1), msgHS)
}

// TestSignatures changes tokens after signing.
func TestSignatures(t *testing.T) {
	t.Parallel()
	set, secret := bySet(t, issuerSet()), bySecret(t)
	for id, k := range issuerKeys() {
		token := k.issue(change{"kid": id}, nil)
		text := token[:strings.LastIndex(token, ".")]
		signature := k.sign(text)
		flipped := slices.Clone(signature)
		flipped[len(flipped)/2] ^= 1
		for _, forged := range [][]byte{nil, {0}, make([]byte, len(signature)), flipped, signature[1:],
			append(slices.Clone(signature), 0), append([]byte{0}, signature...), []byte(canary)} {
			checkRejected(t, set, text+"."+encode(forged), msgSignature)
		}
		// Another payload with the same signature.
		head, _, _ := strings.Cut(token, ".")
		checkRejected(t, set, head+"."+encode([]byte(payload(change{"tenant": "rival"})))+"."+
			encode(signature),
			msgSignature)
	}
	// ES256 in the ASN.1 form of signatures, which RFC 7518 (3.4) does not allow.
	ec := issuerKeys()["ec"]
	token := ec.issue(change{"kid": "ec"}, nil)
	text := token[:strings.LastIndex(token, ".")]
	hash := sha256.Sum256([]byte(text))
	checkRejected(t, set, text+"."+encode(
		must(ecdsa.SignASN1(rand.Reader, ec.secret.(*ecdsa.PrivateKey), hash[:]))), msgSignature)
	checkRejected(t, secret, hmacKey([]byte("another secret that has 32 bytes")).issue(nil, nil),
		msgSignature)
	checkRejected(t, secret, hmacKey(nil).issue(nil, nil), msgSignature)
}
