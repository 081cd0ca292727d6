package tracker

import (
	"encoding/binary"
	"io"
	"slices"
	"strconv"
	"time"

	"golang.org/x/text/language"
)

// CommentID identifies a comment within its issue. It begins with the time of creation, so that the order of
// ids is that of creation.
type CommentID string

// commentIDBytes is the number of bytes that a CommentID encodes: 7 for the microseconds since 1970, and 8
// random ones.
const commentIDBytes = 15

// NewCommentID returns an id for a comment made at a time. random is a source such as crypto/rand.Reader.
func NewCommentID(at time.Time, random io.Reader) (CommentID, error) {
	b := commentTime(at)
	if _, err := io.ReadFull(random, b[7:]); err != nil {
		return "", Internal("no randomness for a new id", err)
	}
	return CommentID(idEncoding.EncodeToString(b)), nil
}

// FirstCommentID returns an id that no comment made before a time reaches: the lower bound of those made
// since.
func FirstCommentID(at time.Time) CommentID {
	return CommentID(idEncoding.EncodeToString(commentTime(at)))
}

// commentTime returns the bytes of an id, of which those after the time are 0.
func commentTime(at time.Time) []byte {
	var b [1 + commentIDBytes]byte
	binary.BigEndian.PutUint64(b[:], uint64(max(0, at.UnixMicro())))
	return b[1:] // the first byte is 0 until the year 4253
}

// Valid reports whether id has the form of NewCommentID.
func (id CommentID) Valid() bool {
	b, err := idEncoding.DecodeString(string(id))
	return err == nil && len(b) == commentIDBytes && idEncoding.EncodeToString(b) == string(id)
}

// Time returns the time of creation in a valid id.
func (id CommentID) Time() time.Time {
	var b [8]byte
	decoded, err := idEncoding.DecodeString(string(id))
	if err != nil || len(decoded) != commentIDBytes {
		return time.Time{}
	}
	copy(b[1:], decoded[:7])
	return time.UnixMicro(int64(binary.BigEndian.Uint64(b[:]))).UTC()
}

// CommentRef identifies a comment within its tenant.
type CommentRef struct {
	Issue IssueID
	// Parent is the comment that a reply belongs to; empty for a comment that is not a reply.
	Parent CommentID
	ID     CommentID
}

// Valid reports whether all parts of r are well formed.
func (r CommentRef) Valid() bool {
	return r.Issue.Valid() && r.ID.Valid() && (r.Parent == "" || r.Parent.Valid())
}

// Reply reports whether the comment is a reply to another one.
func (r CommentRef) Reply() bool { return r.Parent != "" }

// Comment is a comment on an issue, or a reply to one.
type Comment struct {
	Ref CommentRef
	// Author is the user that wrote the comment; empty if the server does not authenticate users.
	Author UserID
	Body   CommentBody
	// Edits is how often the body was changed, and Edited when it was last changed; zero for never.
	Edits  int
	Edited time.Time
	// Language is a BCP 47 tag in canonical form, or empty.
	Language string
	// Rating is 1 to MaxRating, or 0 for none. A reply has none.
	Rating   int
	Mentions []UserID
	// Reactions has the number of users for each reaction; Replies is the number of replies.
	Reactions map[Reaction]int
	Replies   int
	// Version counts the changes of the body, the language, the rating and the mentions, from 1.
	Version int64
}

// Created returns when the comment was made.
func (c *Comment) Created() time.Time { return c.Ref.ID.Time() }

// CommentBody is the Markdown text of a comment, or where it is stored.
type CommentBody struct {
	// Text is the text if it has at most MaxInlineBody bytes. A longer one has an item of its own.
	Text string
	// Bytes is the length of the text.
	Bytes int
}

// BodyOf returns a text as a body. Text is set, however long it is.
func BodyOf(text string) CommentBody { return CommentBody{Text: text, Bytes: len(text)} }

// Inline reports whether the text is stored in the item of the comment.
func (b CommentBody) Inline() bool { return b.Bytes <= MaxInlineBody }

// CommentEdit is a body that was replaced by a later one.
type CommentEdit struct {
	// N is the number of edits before: 0 for the first body.
	N    int
	Body CommentBody
	// At is when the body was replaced, and By the user that replaced it, or empty.
	At time.Time
	By UserID
}

// Reaction is one of the reactions to a comment.
type Reaction string

// Reactions are all reactions, in the order in which clients show them.
var Reactions = []Reaction{"THUMBS_UP", "THUMBS_DOWN", "LAUGH", "HOORAY", "CONFUSED", "HEART", "ROCKET",
	"EYES"}

// Valid reports whether r is one of Reactions.
func (r Reaction) Valid() bool { return slices.Contains(Reactions, r) }

// Check checks a comment that replaces old; old is nil for a new one. It reports all that is wrong. Errors
// are BadInput, with paths relative to the comment's input. It sets Language to its canonical form.
func (c *Comment) Check(old *Comment) error {
	if old == nil {
		old = &Comment{}
	}
	var wrong []error
	if c.Body != old.Body || c.Body.Bytes == 0 {
		wrong = append(wrong, checkBody("body", c.Body.Text))
	}
	if c.Language != old.Language && c.Language != "" {
		tag, err := ParseLanguage(c.Language)
		wrong, c.Language = append(wrong, At("language", err)), tag
	}
	switch {
	case c.Ref.Reply() && c.Rating != 0:
		wrong = append(wrong, Bad("rating", "a reply has no rating"))
	case c.Rating < 0 || c.Rating > MaxRating:
		wrong = append(wrong, Bad("rating", "a rating is 1 to %d; got %d", MaxRating, c.Rating))
	}
	if n := len(c.Mentions); n > MaxMentions {
		wrong = append(wrong, Bad("mentionIds", "%d users; the limit is %d", n, MaxMentions))
	}
	return Join(wrong...)
}

func checkBody(path, text string) error {
	switch {
	case len(text) > MaxComment:
		return Bad(path, "the comment has %d bytes; the limit is %d", len(text), MaxComment)
	case Blank(text):
		return Bad(path, "a comment has at least one visible character")
	}
	return nil
}

// maxLanguage is the maximum length in bytes of a language tag.
const maxLanguage = 35

// ParseLanguage returns a BCP 47 tag in canonical form, for example pt-BR for PT-br.
func ParseLanguage(s string) (string, error) {
	if len(s) > maxLanguage {
		return "", Bad("", "the language has %d bytes; the limit is %d", len(s), maxLanguage)
	}
	tag, err := language.Parse(s)
	canonical := tag.String()
	if err != nil || tag == language.Und || len(canonical) > maxLanguage || language.Make(canonical) != tag {
		return "", Bad("", "%q is not a language tag of BCP 47, such as en or pt-BR", shortened(s))
	}
	return canonical, nil
}

// CommentFilter selects comments of an issue. Its conditions must all hold.
type CommentFilter struct {
	// Ratings selects comments with one of these ratings, unless it is nil.
	Ratings []int
	// Language and Author select comments in a language and of a user, unless they are empty.
	Language string
	Author   UserID
	// Since selects comments made at a time or later, unless it is zero.
	Since time.Time
}

// Matches reports whether a comment satisfies a filter that was checked.
func (f *CommentFilter) Matches(c *Comment) bool {
	return (f.Ratings == nil || slices.Contains(f.Ratings, c.Rating)) &&
		(f.Language == "" || f.Language == c.Language) && (f.Author == "" || f.Author == c.Author) &&
		(f.Since.IsZero() || !c.Created().Before(f.Since))
}

// Check checks a filter, sorts Ratings without duplicates, and sets Language to its canonical form.
func (f *CommentFilter) Check() error {
	var wrong []error
	for i, r := range f.Ratings {
		if r < 1 || r > MaxRating {
			path := "ratings[" + strconv.Itoa(i) + "]"
			wrong = append(wrong, Bad(path, "a rating is 1 to %d; got %d", MaxRating, r))
		}
	}
	if len(f.Ratings) > 0 { // an empty list stays one
		f.Ratings = slices.Compact(slices.Sorted(slices.Values(f.Ratings)))
	}
	if f.Language != "" {
		tag, err := ParseLanguage(f.Language)
		wrong, f.Language = append(wrong, At("language", err)), tag
	}
	return Join(wrong...)
}

// CommentCounts has the number of comments by rating, without replies; the first is of those without one.
type CommentCounts [1 + MaxRating]int

// Total returns the number of comments.
func (c CommentCounts) Total() (n int) {
	for _, count := range c {
		n += count
	}
	return n
}

// Mean returns the mean rating of the comments with one; false if there are none.
func (c CommentCounts) Mean() (mean float64, ok bool) {
	sum, rated := 0, 0
	for rating, count := range c[1:] {
		sum, rated = sum+(rating+1)*count, rated+count
	}
	if rated == 0 {
		return 0, false
	}
	return float64(sum) / float64(rated), true
}
