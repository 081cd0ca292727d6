package tracker

import "time"

// Activity is an entry of the activity of a project: a change of an issue, or a new comment on one.
type Activity struct {
	At    time.Time
	Issue IssueID
	Num   int64
	// Kind is the kind of the change, and By what made it. Both are zero for a comment.
	Kind ChangeKind
	By   Actor
	// Version is that of the issue after the change, and Items the number of items of its history entry.
	Version int64
	Items   int
	// Comment is the comment, or the reply.
	Comment CommentRef
}

// OfComment reports whether the entry is that of a comment.
func (a *Activity) OfComment() bool { return a.Kind == "" }

// CommentActivity returns the entry of a new comment on an issue with a number.
func CommentActivity(ref CommentRef, num int64) Activity {
	return Activity{At: ref.ID.Time(), Issue: ref.Issue, Num: num, Comment: ref}
}
