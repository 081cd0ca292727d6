package dynamo_test

import (
	"strings"
	"time"

	"issuegrid/dynamo/check"
	"issuegrid/dynamo/people"
	"issuegrid/internal/sortkey"
	"issuegrid/tracker"
)

// people creates users and teams.
func (f *fixture) people() {
	f.Helper()
	store := people.Of(f.store)
	user := func(u tracker.User) *tracker.User {
		created, err := store.CreateUser(f.Context(), u)
		f.must(err)
		return created
	}
	ada := user(tracker.User{Name: "Ada", Email: "ada@example.com", Initials: "AL", Color: "red",
		Claim: "ada", AvatarURL: "https://example.com/ada.png"})
	bo := user(tracker.User{Name: "Bo"})
	team, err := store.CreateTeam(f.Context(), tracker.Team{Name: "Core", Description: "The core"})
	f.must(err)
	_, err = store.ChangeMembers(f.Context(), team.ID, []tracker.UserID{ada.ID, bo.ID}, true)
	f.must(err)
	_, err = store.UpdateUser(f.Context(), bo.ID, nil, func(u *tracker.User) error {
		u.Deactivated = time.Now()
		return nil
	})
	f.must(err)
	_, err = store.UpdateUser(f.Context(), ada.ID, nil, func(u *tracker.User) error {
		u.Name = "Ada L."
		return nil
	})
	f.must(err)
}

// aRename returns the key of the item of the job of a renamed user.
func (d *damaged) aRename() key {
	at, _ := d.aUser()
	at.SK = "acme/xrenames-acme"
	return at
}

// aUser returns the key of the item of a user with a claim, and its id.
func (d *damaged) aUser() (at key, id string) {
	for k, m := range d.raw.items("acme/user-") {
		if m["claim"] != nil {
			return k, strings.TrimPrefix(k.PK, "acme/user-")
		}
	}
	d.Fatal("there is no user")
	return
}

// damagesOfPeople are damages of users, teams and their guards.
var damagesOfPeople = []damage{
	{"a user without a time", func(d *damaged) {
		at, _ := d.aUser()
		d.alter(at, change{"created": nil})
	}, check.KindItem, unrepaired},
	{"an item of no known kind in the partition of a user", func(d *damaged) {
		at, _ := d.aUser()
		m := d.raw.get(at)
		m["SK"] = str("acme/xother")
		d.raw.put(m)
	}, check.KindKey, unrepaired},
	{"a user in the wrong place of the list", func(d *damaged) {
		at, _ := d.aUser()
		d.alter(at, change{"SS": bin(sortkey.Name("Zoe", "z"))})
	}, check.KindSortString, restored},
	{"the job of a renamed user in the wrong place of the list", func(d *damaged) {
		d.alter(d.aRename(), change{"SS": bin(sortkey.Name("", "z"))})
	}, check.KindSortString, restored},
	{"the job of a renamed user without a time", func(d *damaged) {
		d.alter(d.aRename(), change{"since": nil})
	}, check.KindItem, unrepaired},
	{"a user whose claim is not guarded", removesAll("unique-userclaim."), check.KindGuard, restored},
	{"an e-mail address that is guarded for nobody",
		altersAll("unique-useremail.", change{"owner": str("nobody")}), check.KindGuard, restored},
	{"a guard of an address that its user does not have", func(d *damaged) {
		_, id := d.aUser()
		d.put(key{"acme/unique-useremail.abc", "*"}, item{"owner": id})
	}, check.KindGuardStray, restored},
	{"a team whose name is not guarded", removesAll("unique-teamname."), check.KindGuard, restored},
	{"a member that is not in its team", func(d *damaged) {
		at, _ := d.aUser()
		d.alter(at, change{"teams": nil})
	}, check.KindItem, unrepaired},
	{"a team that does not exist", removesAll("team-"), check.KindItem, several},
}
