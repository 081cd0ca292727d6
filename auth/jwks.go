package auth

import (
	"crypto/ecdsa"
	"crypto/ed25519"
	"crypto/elliptic"
	"crypto/rsa"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/MicahParks/jwkset"
)

const (
	maxKeys   = 100  // keys of a JWK set
	minRSA    = 2048 // bits of an RSA key, because RFC 7518 (3.3) wants so many
	maxRSA    = 8192 // bits; the time that a signature takes grows with their square
	maxCauses = 5    // reasons in one text
)

// ignored is a key of a JWK set that can't be used.
type ignored struct {
	index  int
	why    string
	secret bool // it has a part that nobody may know
}

func (i ignored) String() string { return fmt.Sprintf("key %d %s", i.index+1, i.why) }

// parseJWKS reads a JWK set and returns the keys that can verify a token here. The others are ignored one by one, because issuers also publish keys for
// other ends. A private key is ignored, although its public half could be used: whoever has read it can sign. A symmetric key too: here it is a secret
// that is published. Ignored and not refused with the whole set, because then the last keys would stay, the published one among them. A set without a
// key that can be used is an error.
func parseJWKS(raw []byte) ([]jwkset.JWK, []ignored, error) {
	var set struct {
		Keys []json.RawMessage `json:"keys"`
	}
	if json.Unmarshal(raw, &set) != nil {
		return nil, nil, errors.New(`it is no JWK set, which is a JSON object such as {"keys": [...]}`)
	}
	if len(set.Keys) > maxKeys {
		return nil, nil, fmt.Errorf("it has %d keys; the limit is %d", len(set.Keys), maxKeys)
	}
	var keys []jwkset.JWK
	var others []ignored
	for i, one := range set.Keys {
		key, err := parseJWK(one)
		if err != nil {
			others = append(others, ignored{i, err.Error(), errors.Is(err, errSymmetric) || errors.Is(err, errPrivate)})
			continue
		}
		keys = append(keys, key)
	}
	if len(keys) == 0 {
		return nil, nil, fmt.Errorf("it has no key that can be used%s", causes(others))
	}
	return keys, others, nil
}

func causes(all []ignored) string {
	var texts []string
	for _, i := range all[:min(len(all), maxCauses)] {
		texts = append(texts, i.String())
	}
	if len(texts) == 0 {
		return ""
	}
	return ": " + strings.Join(texts, ", ")
}

var (
	errSymmetric = errors.New("is symmetric")
	errPrivate   = errors.New("is private")
)

// parseJWK reads one key. The error completes "key 1 ...".
func parseJWK(raw []byte) (jwkset.JWK, error) {
	var m jwkset.JWKMarshal
	if json.Unmarshal(raw, &m) != nil {
		return jwkset.JWK{}, errors.New("is no JWK")
	}
	switch {
	case m.KTY == jwkset.KtyOct || m.K != "":
		return jwkset.JWK{}, errSymmetric
	case m.D+m.P+m.Q+m.DP+m.DQ+m.QI != "" || len(m.OTH) > 0:
		return jwkset.JWK{}, errPrivate
	case m.USE != "" && m.USE != jwkset.UseSig, len(m.KEYOPS) > 0 && !slices.Contains(m.KEYOPS, jwkset.KeyOpsVerify):
		return jwkset.JWK{}, errors.New("is not for verifying signatures")
	}
	key, err := jwkset.NewJWKFromMarshal(m, jwkset.JWKMarshalOptions{}, jwkset.JWKValidateOptions{})
	if err != nil {
		return jwkset.JWK{}, errors.New("is damaged, or of a type that is not supported")
	}
	algorithm, err := algorithmOf(key.Key())
	if err == nil && m.ALG != "" && m.ALG != algorithm {
		err = errors.New("is for another algorithm than RS256, ES256 and EdDSA")
	}
	return key, err
}

// algorithmOf is the one algorithm for which a key is used.
func algorithmOf(key any) (jwkset.ALG, error) {
	switch key := key.(type) {
	case *rsa.PublicKey:
		if bits := key.N.BitLen(); bits < minRSA || bits > maxRSA {
			return "", fmt.Errorf("is an RSA key of %d bits instead of %d to %d", bits, minRSA, maxRSA)
		}
		if key.N.Bit(0) == 0 || key.E < 3 || key.E%2 == 0 {
			return "", errors.New("is an RSA key whose modulus is even, or whose exponent is even or less than 3")
		}
		return jwkset.AlgRS256, nil
	case *ecdsa.PublicKey:
		if key.Curve != elliptic.P256() {
			return "", errors.New("is on another curve than P-256")
		}
		return jwkset.AlgES256, nil
	case ed25519.PublicKey:
		if weakEd25519(key) {
			return "", errors.New("is an Ed25519 key of small order or not in canonical form")
		}
		return jwkset.AlgEdDSA, nil
	}
	return "", errors.New("is of a type that is not supported")
}
