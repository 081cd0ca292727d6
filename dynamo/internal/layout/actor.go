package layout

import (
	"strings"

	"issuegrid/tracker"
)

// SetActor sets the actor of a change in an item, if it is known.
func SetActor(m Item, a tracker.Actor) {
	if stored := storedActor(a); stored != "" {
		m["by"] = S(stored)
	}
	if a.User != "" {
		m[AttrByUser] = S(string(a.User))
	}
}

// AttrByUser is the attribute with the id of the user of an actor.
const AttrByUser = "byUser"

// GetActor returns the actor of an item.
func GetActor(m Item) tracker.Actor {
	a := parseActor(GetS(m, "by"))
	a.User = tracker.UserID(GetS(m, AttrByUser))
	return a
}

// Items have an actor as a string: a user by its name, and other actors by the following words. A word
// can be followed by a colon and the name of a user. A user whose name could be mistaken for another actor is
// stored with the word "user" before it.
const (
	storedUser   = "user"
	storedJob    = "job"
	storedImport = "import"
)

// parseActor returns the actor that is stored as a string. It is zero if the string is empty, because the
// actor is unknown.
func parseActor(stored string) tracker.Actor {
	word, name, named := strings.Cut(stored, ":")
	switch {
	case stored == "":
		return tracker.Actor{}
	case word == storedJob:
		return tracker.Actor{Kind: tracker.ActorJob, Name: name}
	case word == storedImport:
		return tracker.Actor{Kind: tracker.ActorImport, Name: name}
	case word == storedUser && named:
		return tracker.Actor{Kind: tracker.ActorUser, Name: name}
	}
	return tracker.Actor{Kind: tracker.ActorUser, Name: stored}
}

// storedActor returns an actor as items have it. It is empty for one that is unknown, and for a user without
// a name.
func storedActor(a tracker.Actor) string {
	switch a.Kind {
	case tracker.ActorJob:
		return withName(storedJob, a.Name)
	case tracker.ActorImport:
		return withName(storedImport, a.Name)
	}
	switch word, _, named := strings.Cut(a.Name, ":"); {
	case word == storedJob, word == storedImport, word == storedUser && named:
		return storedUser + ":" + a.Name
	}
	return a.Name
}

func withName(word, name string) string {
	if name == "" {
		return word
	}
	return word + ":" + name
}
