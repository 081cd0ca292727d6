package tracker

import "strings"

// ActorKind is the kind of an Actor.
type ActorKind string

// The kinds of actors.
const (
	ActorUser   ActorKind = "USER"
	ActorJob    ActorKind = "JOB"
	ActorImport ActorKind = "IMPORT"
)

// Actor is what made a change.
type Actor struct {
	Kind ActorKind
	// Name is the name of the user; for a job, that of the user that started it. It is empty if unknown.
	Name string
}

// Histories store an actor as a string: a user by its name, and other actors by the following words. A word
// can be followed by a colon and the name of a user. A user whose name could be mistaken for another actor is
// stored with the word "user" before it.
const (
	storedUser   = "user"
	storedJob    = "job"
	storedImport = "import"
)

// ActorOf returns the actor that is stored as a string; false if it is empty, because the actor is unknown.
func ActorOf(stored string) (Actor, bool) {
	word, name, named := strings.Cut(stored, ":")
	switch {
	case stored == "":
		return Actor{}, false
	case word == storedJob:
		return Actor{ActorJob, name}, true
	case word == storedImport:
		return Actor{ActorImport, name}, true
	case word == storedUser && named:
		return Actor{ActorUser, name}, true
	}
	return Actor{ActorUser, stored}, true
}

// Stored returns the actor as histories store it. It is empty for a user without a name.
func (a Actor) Stored() string {
	switch a.Kind {
	case ActorJob:
		return withName(storedJob, a.Name)
	case ActorImport:
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
