package auth

import (
	"encoding/json"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/golang-jwt/jwt/v5"

	"issuegrid/internal/strictjson"
	"issuegrid/tracker"
)

// lastSecond is the end of the year 9999. Later times are mistakes, such as milliseconds instead of seconds,
// or attempts to cause an overflow.
const lastSecond = 253402300799

// claims is the payload of a token.
type claims struct{ jwt.MapClaims }

// UnmarshalJSON rejects a payload that is not an object or has duplicate claims (A2).
func (c *claims) UnmarshalJSON(raw []byte) error {
	if _, err := strictjson.Members(raw); err != nil {
		return refuse("the token's payload is not a JSON object with unique claims")
	}
	return json.Unmarshal(raw, &c.MapClaims)
}

// Validate is called by the parser after it has verified the signature, in addition to its own checks of the
// times.
func (c *claims) Validate() error {
	for _, name := range []string{"exp", "nbf", "iat"} {
		value, present := c.MapClaims[name]
		if !present {
			continue
		}
		if seconds, ok := value.(float64); !ok || seconds < 0 || seconds > lastSecond {
			return refuse("the token's claim %s is not a number of seconds from 1970 to the year 9999", name)
		}
	}
	return nil
}

// principal returns the caller from the claims of a verified token.
func (v *Verifier) principal(c claims) (tracker.Principal, error) {
	var p tracker.Principal
	name, _ := c.MapClaims[v.roleClaim].(string)
	role, ok := parseRole(name)
	if !ok {
		return p, refuse("the token's claim %s is not one of reader, editor, admin and operator", v.roleClaim)
	}
	user, _ := c.MapClaims[v.userClaim].(string)
	if !validUser(user) {
		return p, refuse("the token's claim %s is not a string of 1 to %d visible characters", v.userClaim,
			tracker.MaxUser)
	}
	claim, present := c.MapClaims[v.tenantClaim]
	tenant, _ := claim.(string)
	if (present || role != tracker.Operator) && !tracker.ValidID(tenant) {
		return p, refuse("the token's claim %s is not the id of a tenant, 1 to %d characters of a-z and 0-9",
			v.tenantClaim, tracker.MaxID)
	}
	return tracker.Principal{Tenant: tracker.TenantID(tenant), User: user, Role: role,
		Profile: profileOf(c)}, nil
}

// profileOf returns what the standard claims of OpenID Connect say of the user. An address that the issuer
// has not verified is left out, because the first token with the address of a user becomes that user.
func profileOf(c claims) tracker.Profile {
	text := func(name string) string {
		s, _ := c.MapClaims[name].(string)
		return s
	}
	p := tracker.Profile{Name: text("name"), AvatarURL: text("picture")}
	if verified, _ := c.MapClaims["email_verified"].(bool); verified {
		p.Email = text("email")
	}
	return p
}

// validUser checks the name of a user by the law of names, because histories and logs contain it. It also
// rejects joiners and private-use characters, which could make two users look the same, and the replacement
// character, with which decoders could make two users the same.
func validUser(s string) bool {
	hidden := func(r rune) bool { return !unicode.IsGraphic(r) || r == utf8.RuneError }
	return s != "" && utf8.RuneCountInString(s) <= tracker.MaxUser && !strings.ContainsFunc(s, hidden) &&
		tracker.CheckVisible("", "", s) == nil
}
