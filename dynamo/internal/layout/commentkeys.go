package layout

import (
	"strconv"
	"strings"

	"issuegrid/tracker"
)

// CommentKind is the kind of an item of the comments of an issue.
type CommentKind uint8

// The kinds of items. A text is that of a comment or of an edit.
const (
	CommentItem CommentKind = iota + 1
	CommentEntry
	CommentSum
	CommentText
	CommentEditItem
	CommentReaction
)

// CommentKey is a parsed sort key.
type CommentKey struct {
	Kind CommentKind
	// Parent and ID are those of the comment, of which an entry does not have the parent; empty for counts.
	Parent, ID tracker.CommentID
	Language   string // of counts
	N          int    // of a text or an edit
	Reaction   tracker.Reaction
	By         tracker.UserID
}

// Parse parses a sort key. It returns false for one that none of the other methods returns.
func (c Comments) Parse(sk string) (k CommentKey, ok bool) {
	rest, ok := strings.CutPrefix(sk, c.Prefix())
	if !ok {
		return k, false
	}
	parts := strings.Split(rest, ".")
	last := tracker.CommentID(parts[len(parts)-1])
	switch of := parts[0]; {
	case of == commentAll && len(parts) == 2:
		k.Kind, k.ID = CommentItem, last
	case of == commentReply && len(parts) == 3:
		k.Kind, k.Parent, k.ID = CommentItem, tracker.CommentID(parts[1]), last
	case of == commentSum && len(parts) == 2:
		k.Kind, k.Language = CommentSum, parts[1]
		return k, k.Language == "" || validLanguage(k.Language)
	case of == commentRated && len(parts) == 3, (of == commentBy || of == commentIn) && len(parts) == 4,
		of == commentBoth && len(parts) == 5:
		k.Kind, k.ID = CommentEntry, last
	case of == commentRest && len(parts) >= 5:
		root := tracker.CommentID(parts[1])
		if k.ID = tracker.CommentID(parts[2]); root != k.ID {
			k.Parent = root
		}
		k.parseRest(parts[3:])
	}
	ok = k.Kind != 0 && k.ID.Valid() && (k.Parent == "" || k.Parent.Valid())
	return k, ok
}

// parseRest parses the part of a sort key after the id of the comment.
func (k *CommentKey) parseRest(parts []string) {
	n, err := strconv.Atoi(parts[1])
	numbered := len(parts) == 2 && err == nil && n >= 0 && n <= tracker.MaxEdits && editNumber(n) == parts[1]
	switch of := parts[0]; {
	case of == "body" && numbered:
		k.Kind, k.N = CommentText, n
	case of == "edit" && numbered:
		k.Kind, k.N = CommentEditItem, n
	case of == "react" && len(parts) == 3:
		k.Reaction, k.By = tracker.Reaction(parts[1]), tracker.UserID(parts[2])
		if k.Reaction.Valid() && tracker.ValidID(parts[2]) {
			k.Kind = CommentReaction
		}
	}
}

// Ref returns the comment that an item with a parsed key is or belongs to.
func (c Comments) Ref(k CommentKey) tracker.CommentRef {
	return tracker.CommentRef{Issue: c.issue, Parent: k.Parent, ID: k.ID}
}

func validLanguage(s string) bool {
	tag, err := tracker.ParseLanguage(s)
	return err == nil && tag == s
}
