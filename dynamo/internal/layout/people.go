package layout

import (
	"strings"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"issuegrid/internal/sortkey"
	"issuegrid/tracker"
)

// People has the keys and the items of the users and the teams of a tenant.
type People struct{ keys Keys }

// PeopleOf returns the users and the teams of a tenant.
func PeopleOf(k Keys) People { return People{k} }

// User returns the key of a user. Each user has a partition of its own.
func (k People) User(id tracker.UserID) Key {
	return Key{PK: k.keys.pk("user", string(id)), SK: k.Users()}
}

// Users returns the index partition of the tenant's users, in the order of their names: the active ones, and
// then those that were deactivated.
func (k People) Users() string { return k.keys.pk("xusers", string(k.keys.Tenant)) }

// Rename returns the key of the job of a user that was renamed. It is in the partition of the user.
func (k People) Rename(id tracker.UserID) Key {
	return Key{PK: k.keys.pk("user", string(id)), SK: k.Renames()}
}

// Renames returns the index partition of the tenant's users that were renamed, while their jobs are open.
func (k People) Renames() string { return k.keys.pk("xrenames", string(k.keys.Tenant)) }

// Team returns the key of a team. Each team has a partition of its own, with one item.
func (k People) Team(id tracker.TeamID) Key {
	return Key{PK: k.keys.pk("team", string(id)), SK: k.Teams()}
}

// Teams returns the index partition of the tenant's teams, in the same order.
func (k People) Teams() string { return k.keys.pk("xteams", string(k.keys.Tenant)) }

// Inactive is the position in Users and Teams from which on users and teams are deactivated. The names before
// it are UTF-8, in which this byte does not occur.
func Inactive() []byte { return []byte{0xff} }

// The kinds of what is unique among the users and the teams of a tenant.
const (
	uniqueEmail    = "useremail"
	uniqueClaim    = "userclaim"
	uniqueTeamName = "teamname"
)

func (k People) peopleGuard(kind, of string) Key {
	return Key{PK: k.keys.pk("unique", kind+"."+tracker.IDFor(of)), SK: "*"}
}

// UserGuards returns the keys of the guards of a user: that of its e-mail address and that of its claim. Each
// prevents a second user from having the same one, and the second is how a user is found by its claim.
func (k People) UserGuards(u *tracker.User) []Key {
	var out []Key
	if u.Email != "" {
		out = append(out, k.peopleGuard(uniqueEmail, tracker.EmailKey(u.Email)))
	}
	if u.Claim != "" {
		out = append(out, k.ClaimGuard(u.Claim))
	}
	return out
}

// ClaimGuard returns the key of the guard of a claim. Its owner is the user with the claim.
func (k People) ClaimGuard(claim string) Key { return k.peopleGuard(uniqueClaim, claim) }

// TeamGuard returns the key of the guard of a team's name.
func (k People) TeamGuard(name string) Key {
	return k.peopleGuard(uniqueTeamName, tracker.Lookalike(name))
}

// ParseUser returns the id in the partition key of a user.
func (k People) ParseUser(pk string) (tracker.UserID, bool) {
	id, ok := strings.CutPrefix(pk, k.keys.pk("user", ""))
	return tracker.UserID(id), ok && tracker.ValidID(id)
}

// ParseTeam returns the id in the partition key of a team.
func (k People) ParseTeam(pk string) (tracker.TeamID, bool) {
	id, ok := strings.CutPrefix(pk, k.keys.pk("team", ""))
	return tracker.TeamID(id), ok && tracker.ValidID(id)
}

// listedByName sets the position of an item in a list by name.
func listedByName(m Item, name, id string, deactivated time.Time) {
	ss := sortkey.Name(name, id)
	if !deactivated.IsZero() {
		ss = append(Inactive(), ss...)
	}
	m[AttrSS], m["name"] = B(ss), S(name)
}

// EncodeUser returns the item of a user.
func (k People) EncodeUser(u *tracker.User) Item {
	m := KeyItem(k.User(u.ID))
	listedByName(m, u.Name, string(u.ID), u.Deactivated)
	for name, v := range map[string]string{"email": u.Email, "initials": u.Initials, "color": u.Color,
		"avatar": u.AvatarURL, "claim": u.Claim} {
		if v != "" {
			m[name] = S(v)
		}
	}
	setStrings(m, "teams", u.Teams)
	setStrings(m, "former", encodeFormer(u.Former))
	m["version"] = N(u.Version)
	encodeTimes(m, u.Created, u.Updated, u.Deactivated)
	return m
}

// DecodeUser decodes the item of a user. It returns Internal if the item cannot be decoded, as does
// DecodeTeam.
func (k People) DecodeUser(m Item) (_ *tracker.User, err error) {
	id, ok := k.ParseUser(GetS(m, AttrPK))
	if !ok {
		return nil, tracker.Internal("the item of a user has a key that is not a user's", nil)
	}
	u := &tracker.User{ID: id, Name: GetS(m, "name"), Email: GetS(m, "email"), Initials: GetS(m, "initials"),
		Color: GetS(m, "color"), AvatarURL: GetS(m, "avatar"), Claim: GetS(m, "claim"),
		Teams: getStrings[tracker.TeamID](m, "teams"), Version: GetN(m, "version")}
	if u.Former, err = decodeFormer(m); err != nil {
		return nil, err
	}
	return u, decodeTimes(m, &u.Created, &u.Updated, &u.Deactivated)
}

// EncodeTeam returns the item of a team.
func (k People) EncodeTeam(t *tracker.Team) Item {
	m := KeyItem(k.Team(t.ID))
	listedByName(m, t.Name, string(t.ID), t.Deactivated)
	if t.Description != "" {
		m["description"] = S(t.Description)
	}
	setStrings(m, "members", t.Members)
	setStrings(m, "former", encodeFormer(t.Former))
	m["version"] = N(t.Version)
	encodeTimes(m, t.Created, t.Updated, t.Deactivated)
	return m
}

// DecodeTeam decodes the item of a team.
func (k People) DecodeTeam(m Item) (_ *tracker.Team, err error) {
	id, ok := k.ParseTeam(GetS(m, AttrPK))
	if !ok {
		return nil, tracker.Internal("the item of a team has a key that is not a team's", nil)
	}
	t := &tracker.Team{ID: id, Name: GetS(m, "name"), Description: GetS(m, "description"),
		Members: getStrings[tracker.UserID](m, "members"), Version: GetN(m, "version")}
	if t.Former, err = decodeFormer(m); err != nil {
		return nil, err
	}
	return t, decodeTimes(m, &t.Created, &t.Updated, &t.Deactivated)
}

// encodeFormer returns former names as strings: each time, a space and the name.
func encodeFormer(all tracker.FormerNames) []string {
	out := make([]string, len(all))
	for n, was := range all {
		out[n] = tracker.FormatDateTime(was.Until) + " " + was.Name
	}
	return out
}

func decodeFormer(m Item) (tracker.FormerNames, error) {
	var out tracker.FormerNames
	for _, s := range getStrings[string](m, "former") {
		at, name, _ := strings.Cut(s, " ")
		until, err := time.Parse(time.RFC3339Nano, at)
		if err != nil {
			return nil, tracker.Internal("a former name of a user or a team has no valid time", err)
		}
		out = append(out, tracker.FormerName{Name: name, Until: until})
	}
	return out, nil
}

// encodeTimes adds the times of a user or a team.
func encodeTimes(m Item, created, updated, deactivated time.Time) {
	m["created"], m["updated"] = S(tracker.FormatDateTime(created)), S(tracker.FormatDateTime(updated))
	if !deactivated.IsZero() {
		m["deactivated"] = S(tracker.FormatDateTime(deactivated))
	}
}

// decodeTimes decodes the times of a user or a team.
func decodeTimes(m Item, created, updated, deactivated *time.Time) error {
	for name, to := range map[string]*time.Time{"created": created, "updated": updated,
		"deactivated": deactivated} {
		if name == "deactivated" && m[name] == nil {
			continue
		}
		var err error
		if *to, err = time.Parse(time.RFC3339Nano, GetS(m, name)); err != nil {
			return tracker.Internal("a user or a team has no valid time: "+name, err)
		}
	}
	return nil
}

func setStrings[T ~string](m Item, name string, all []T) {
	if len(all) == 0 {
		return
	}
	list := make([]types.AttributeValue, len(all))
	for i, s := range all {
		list[i] = S(string(s))
	}
	m[name] = &types.AttributeValueMemberL{Value: list}
}

func getStrings[T ~string](m Item, name string) (out []T) {
	for _, av := range GetL(m, name) {
		if s, ok := av.(*types.AttributeValueMemberS); ok {
			out = append(out, T(s.Value))
		}
	}
	return out
}
