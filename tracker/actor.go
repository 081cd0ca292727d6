package tracker

// ActorKind is the kind of an Actor.
type ActorKind string

// The kinds of actors.
const (
	ActorUser   ActorKind = "USER"
	ActorJob    ActorKind = "JOB"
	ActorImport ActorKind = "IMPORT"
)

// Actor is what made a change. It is zero if unknown.
type Actor struct {
	Kind ActorKind
	// Name is the name of the user; for a job, that of the user that started it. It is empty if unknown.
	Name string
	// User is the id of that user; empty if the user has none, or if it is not known.
	User UserID
}

// Known reports whether anything is known of an actor.
func (a Actor) Known() bool {
	return a.Kind == ActorJob || a.Kind == ActorImport || a.Name != "" || a.User != ""
}

// OfJob reports whether an actor is a job. Its changes finish one that was already made.
func (a Actor) OfJob() bool { return a.Kind == ActorJob }
