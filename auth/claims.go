package auth

import (
	"encoding/json"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/golang-jwt/jwt/v5"

	"issuegrid/tracker"
)

// lastSecond is the end of the year 9999. Later times are mistakes, such as milliseconds instead of seconds, or attempts to make a time overflow.
const lastSecond = 253402300799

// claims are the payload of a token.
type claims struct{ jwt.MapClaims }

// UnmarshalJSON refuses a payload that is no object, or has a claim twice (A2).
func (c *claims) UnmarshalJSON(raw []byte) error {
	if uniqueNames(raw) != nil {
		return refuse("the token's payload is not a JSON object in which each claim stands once")
	}
	return json.Unmarshal(raw, &c.MapClaims)
}

// Validate is called by the parser once the signature is right, beside its own checks of the times.
func (c *claims) Validate() error {
	for _, name := range []string{"exp", "nbf", "iat"} {
		value, given := c.MapClaims[name]
		if !given {
			continue
		}
		if seconds, ok := value.(float64); !ok || seconds < 0 || seconds > lastSecond {
			return refuse("the token's claim %s is not a number of seconds from 1970 to the year 9999", name)
		}
	}
	return nil
}

// principal reads who a token stands for from the claims of one that is genuine.
func (v *Verifier) principal(c claims) (tracker.Principal, error) {
	var p tracker.Principal
	name, _ := c.MapClaims[v.roleClaim].(string)
	role, ok := parseRole(name)
	if !ok {
		return p, refuse("the token's claim %s is not one of reader, editor, admin and operator", v.roleClaim)
	}
	user, _ := c.MapClaims[v.userClaim].(string)
	if !validUser(user) {
		return p, refuse("the token's claim %s is not a text of 1 to %d visible characters", v.userClaim, tracker.MaxUser)
	}
	claim, given := c.MapClaims[v.tenantClaim]
	tenant, _ := claim.(string)
	if (given || role != tracker.Operator) && !tracker.ValidID(tenant) {
		return p, refuse("the token's claim %s is not the id of a tenant, which is 1 to %d of a-z and 0-9", v.tenantClaim, tracker.MaxID)
	}
	return tracker.Principal{Tenant: tracker.TenantID(tenant), User: user, Role: role}, nil
}

// validUser checks a user by the law of names, because users stand in histories and logs. Beyond that it refuses joiners and private characters,
// by which two users would look like one, and what a decoder puts in place of what it can't read, by which two users would become one.
func validUser(s string) bool {
	hidden := func(r rune) bool { return !unicode.IsGraphic(r) || r == utf8.RuneError }
	return s != "" && utf8.RuneCountInString(s) <= tracker.MaxUser && !strings.ContainsFunc(s, hidden) && tracker.CheckVisible("", "", s) == nil
}
