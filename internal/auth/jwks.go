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
	maxKeys   = 100  // of a JWK set
	minRSA    = 2048 // bits of an RSA key; the minimum of RFC 7518 (3.3)
	maxRSA    = 8192 // bits; the time to verify grows with their square
	maxCauses = 5    // reasons in one message
)

// ignored is a key of a JWK set that is not used.
type ignored struct {
	index  int
	reason string
	secret bool // it has secret parts, which must not be published
}

func (i ignored) String() string { return fmt.Sprintf("key %d %s", i.index+1, i.reason) }

// parseJWKS parses a JWK set and returns the keys that can verify tokens. It ignores other keys, because
// issuers also publish keys for other purposes. It ignores a private key although its public part could be
// used, because everyone who has read it can sign. It ignores a symmetric key, which is a published secret.
// These keys do not make the whole set invalid, because then the previous keys would stay in use, which may
// include the published one. A set without a usable key is an error.
func parseJWKS(raw []byte) ([]jwkset.JWK, []ignored, error) {
	var set struct {
		Keys []json.RawMessage `json:"keys"`
	}
	if json.Unmarshal(raw, &set) != nil {
		return nil, nil, errors.New(`it is not a JWK set, a JSON object such as {"keys": [...]}`)
	}
	if len(set.Keys) > maxKeys {
		return nil, nil, fmt.Errorf("it has %d keys; the limit is %d", len(set.Keys), maxKeys)
	}
	var keys []jwkset.JWK
	var others []ignored
	for i, one := range set.Keys {
		key, err := parseJWK(one)
		if err != nil {
			others = append(others, ignored{i, err.Error(), errors.Is(err, errSymmetric) ||
				errors.Is(err, errPrivate)})
			continue
		}
		keys = append(keys, key)
	}
	if len(keys) == 0 {
		return nil, nil, fmt.Errorf("it has no usable key%s", causes(others))
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

// parseJWK parses one key. The error completes "key 1 ...".
func parseJWK(raw []byte) (jwkset.JWK, error) {
	var m jwkset.JWKMarshal
	if json.Unmarshal(raw, &m) != nil {
		return jwkset.JWK{}, errors.New("is not a JWK")
	}
	switch {
	case m.KTY == jwkset.KtyOct || m.K != "":
		return jwkset.JWK{}, errSymmetric
	case m.D+m.P+m.Q+m.DP+m.DQ+m.QI != "" || len(m.OTH) > 0:
		return jwkset.JWK{}, errPrivate
	case m.USE != "" && m.USE != jwkset.UseSig, len(m.KEYOPS) > 0 &&
		!slices.Contains(m.KEYOPS, jwkset.KeyOpsVerify):
		return jwkset.JWK{}, errors.New("is not for verifying signatures")
	}
	key, err := jwkset.NewJWKFromMarshal(m, jwkset.JWKMarshalOptions{}, jwkset.JWKValidateOptions{})
	if err != nil {
		return jwkset.JWK{}, errors.New("is damaged or of an unsupported type")
	}
	algorithm, err := algorithmOf(key.Key())
	if err == nil && m.ALG != "" && m.ALG != algorithm {
		err = errors.New("is not for RS256, ES256 or EdDSA")
	}
	return key, err
}

// algorithmOf returns the only algorithm that a key may be used with.
func algorithmOf(key any) (jwkset.ALG, error) {
	switch key := key.(type) {
	case *rsa.PublicKey:
		if bits := key.N.BitLen(); bits < minRSA || bits > maxRSA {
			return "", fmt.Errorf("is an RSA key of %d bits, not %d to %d", bits, minRSA, maxRSA)
		}
		if key.N.Bit(0) == 0 || key.E < 3 || key.E%2 == 0 {
			return "", errors.New("is an RSA key whose modulus is even, or whose exponent is even or less " +
				"than 3")
		}
		return jwkset.AlgRS256, nil
	case *ecdsa.PublicKey:
		if key.Curve != elliptic.P256() {
			return "", errors.New("is on a curve other than P-256")
		}
		return jwkset.AlgES256, nil
	case ed25519.PublicKey:
		if weakEd25519(key) {
			return "", errors.New("is an Ed25519 key of small order or not in canonical form")
		}
		return jwkset.AlgEdDSA, nil
	}
	return "", errors.New("is of an unsupported type")
}
