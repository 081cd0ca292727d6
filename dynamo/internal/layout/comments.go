package layout

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"issuegrid/tracker"
)

// Comments has the keys and the items of the comments of an issue. They are in the partition of the issue,
// and none of them is in the index. The names of their sort keys are, after CommentsPrefix:
//
//	all.<id>                               a comment that is not a reply
//	reply.<parent>.<id>                    a reply
//	rated.<rating>.<id>                    an entry of a comment with a rating
//	by.<author>.<rating>.<id>              an entry of a comment with an author; the rating 0 is none
//	in.<language>.<rating>.<id>            an entry of a comment with a language
//	both.<language>.<author>.<rating>.<id> an entry of a comment with both
//	rest.<root>.<id>.body.<n>              the text after n edits, if it is not in the comment
//	rest.<root>.<id>.edit.<n>              the text after n edits that was replaced by another one
//	rest.<root>.<id>.react.<reaction>.<user>  a reaction of a user
//	sum.<language>                         the counts of comments in a language, or of all comments
//
// So each list is a range of sort keys, or up to six, in the order of creation: the entries of any ratings of
// an author in a language are those ranges of both, by, in or rated which the ratings name. The root of a
// reply is its parent, and that of another comment the comment itself, so that what belongs to a comment and
// its replies is one range.
type Comments struct {
	keys  Keys
	issue tracker.IssueID
}

// CommentsOf returns the comments of an issue.
func CommentsOf(k Keys, id tracker.IssueID) Comments { return Comments{k, id} }

// The first parts of the names of sort keys.
const (
	commentAll   = "all"
	commentReply = "reply"
	commentRated = "rated"
	commentBy    = "by"
	commentIn    = "in"
	commentBoth  = "both"
	commentRest  = "rest"
	commentSum   = "sum"
)

// Partition returns the table partition.
func (c Comments) Partition() string { return c.keys.Issue(c.issue) }

// Prefix returns the prefix of the sort keys of all items of comments.
func (c Comments) Prefix() string { return c.keys.pk("xcomment", "") }

func (c Comments) key(parts ...string) Key {
	return Key{PK: c.Partition(), SK: c.Prefix() + strings.Join(parts, ".")}
}

// Comment returns the key of a comment.
func (c Comments) Comment(ref tracker.CommentRef) Key {
	return Key{PK: c.Partition(), SK: c.List(ref.Parent).Prefix + string(ref.ID)}
}

// CommentRange is a range of sort keys that end with the id of a comment.
type CommentRange struct{ Prefix string }

// Key returns the sort key of a comment in the range.
func (r CommentRange) Key(id tracker.CommentID) string { return r.Prefix + string(id) }

// Bounds returns the lowest and the highest sort key of the comments with from <= id <= to. Empty ids do not
// limit the range.
func (r CommentRange) Bounds(from, to tracker.CommentID) (first, last string) {
	first, last = r.Prefix+string(from), r.Prefix+string(to)
	if to == "" {
		last = r.Prefix + "~" // after all ids
	}
	return first, last
}

// ID returns the id at the end of a sort key of the range.
func (r CommentRange) ID(sk string) tracker.CommentID {
	return tracker.CommentID(strings.TrimPrefix(sk, r.Prefix))
}

func (c Comments) rangeOf(parts ...string) CommentRange {
	return CommentRange{c.key(parts...).SK + "."}
}

// List returns the range of all comments that are not replies, or of the replies to parent.
func (c Comments) List(parent tracker.CommentID) CommentRange {
	if parent != "" {
		return c.rangeOf(commentReply, string(parent))
	}
	return c.rangeOf(commentAll)
}

// Entries returns the ranges of entries that a filter selects, whose Since is ignored. It returns nil for a
// filter with no other condition: List has all comments.
func (c Comments) Entries(f tracker.CommentFilter) []CommentRange {
	var parts []string
	switch {
	case f.Author != "" && f.Language != "":
		parts = []string{commentBoth, f.Language, string(f.Author)}
	case f.Author != "":
		parts = []string{commentBy, string(f.Author)}
	case f.Language != "":
		parts = []string{commentIn, f.Language}
	case f.Ratings == nil:
		return nil
	default:
		parts = []string{commentRated}
	}
	ratings := f.Ratings
	if ratings == nil {
		for r := range tracker.MaxRating + 1 {
			ratings = append(ratings, r)
		}
	}
	out := make([]CommentRange, len(ratings))
	for i, r := range ratings {
		out[i] = c.rangeOf(append(slices.Clip(parts), strconv.Itoa(r))...)
	}
	return out
}

// EntriesOf returns the keys of the entries of a comment, of which each has an item with nothing else. A
// reply has none.
func (c Comments) EntriesOf(comment *tracker.Comment) []Key {
	if comment.Ref.Reply() {
		return nil
	}
	ratings := []int{comment.Rating}
	var ranges []CommentRange
	add := func(f tracker.CommentFilter) { f.Ratings = ratings; ranges = append(ranges, c.Entries(f)...) }
	if comment.Rating > 0 {
		add(tracker.CommentFilter{})
	}
	if comment.Author != "" {
		add(tracker.CommentFilter{Author: comment.Author})
	}
	if comment.Language != "" {
		add(tracker.CommentFilter{Language: comment.Language})
	}
	if comment.Author != "" && comment.Language != "" {
		add(tracker.CommentFilter{Author: comment.Author, Language: comment.Language})
	}
	out := make([]Key, len(ranges))
	for i, r := range ranges {
		out[i] = Key{PK: c.Partition(), SK: r.Key(comment.Ref.ID)}
	}
	return out
}

// Sum returns the key of the counts of the comments in a language, or of all comments if it is empty.
func (c Comments) Sum(language string) Key { return c.key(commentSum, language) }

// SumsOf returns the keys of the counts that include a comment. No counts include a reply.
func (c Comments) SumsOf(comment *tracker.Comment) []Key {
	if comment.Ref.Reply() {
		return nil
	}
	out := []Key{c.Sum("")}
	if comment.Language != "" {
		out = append(out, c.Sum(comment.Language))
	}
	return out
}

// Languages returns the prefix of the sort keys of the counts in languages, which follow that of all
// comments.
func (c Comments) Languages() string { return c.Sum("").SK }

// CountName returns the name of the attribute of counts that has the number of comments with a rating.
func CountName(rating int) string { return "rated" + strconv.Itoa(rating) }

// DecodeSum returns the language and the counts in an item, which may be nil.
func (c Comments) DecodeSum(m Item) (language string, counts tracker.CommentCounts) {
	for rating := range counts {
		counts[rating] = int(GetN(m, CountName(rating)))
	}
	return strings.TrimPrefix(GetS(m, AttrSK), c.Languages()), counts
}

// EncodeSum returns the item of counts.
func (c Comments) EncodeSum(language string, counts tracker.CommentCounts) Item {
	m := KeyItem(c.Sum(language))
	for rating, n := range counts {
		m[CountName(rating)] = N(int64(n))
	}
	return m
}

// Rest returns the prefix of the sort keys of the texts and the reactions of a comment that is not a reply,
// and of its replies.
func (c Comments) Rest(root tracker.CommentID) string {
	return c.rangeOf(commentRest, string(root)).Prefix
}

// rest returns the parts of the sort keys of what belongs to a comment.
func rest(ref tracker.CommentRef, parts ...string) []string {
	root := ref.ID
	if ref.Reply() {
		root = ref.Parent
	}
	return append([]string{commentRest, string(root), string(ref.ID)}, parts...)
}

// RestOf returns the prefix of the sort keys of the texts and the reactions of a comment alone.
func (c Comments) RestOf(ref tracker.CommentRef) string { return c.rangeOf(rest(ref)...).Prefix }

// Body returns the key of the text of a comment after n edits.
func (c Comments) Body(ref tracker.CommentRef, n int) Key {
	return c.key(rest(ref, "body", editNumber(n))...)
}

// Edit returns the key of the text of a comment after n edits, if it was replaced. The keys sort by n.
func (c Comments) Edit(ref tracker.CommentRef, n int) Key {
	return c.key(rest(ref, "edit", editNumber(n))...)
}

func editNumber(n int) string { return fmt.Sprintf("%03d", n) }

// Edits returns the prefix of the sort keys of the edits of a comment.
func (c Comments) Edits(ref tracker.CommentRef) string { return c.rangeOf(rest(ref, "edit")...).Prefix }

// Reaction returns the key of a reaction of a user.
func (c Comments) Reaction(ref tracker.CommentRef, r tracker.Reaction, by tracker.UserID) Key {
	return Key{PK: c.Partition(), SK: c.Reactions(ref, r).Prefix + string(by)}
}

// Reactions returns the range of the reactions of a kind, whose keys end with the users.
func (c Comments) Reactions(ref tracker.CommentRef, r tracker.Reaction) CommentRange {
	return c.rangeOf(rest(ref, "react", string(r))...)
}

// counters are the attributes of a comment that do not change with its version.
var counters = []string{"reacted", "replies"}

// Encode returns the item of a comment.
func (c Comments) Encode(comment *tracker.Comment) Item {
	m := KeyItem(c.Comment(comment.Ref))
	encodeCommentBody(m, comment.Body)
	for name, v := range map[string]string{"author": string(comment.Author), "lang": comment.Language} {
		if v != "" {
			m[name] = S(v)
		}
	}
	for name, n := range map[string]int{"rated": comment.Rating, "edits": comment.Edits,
		"replies": comment.Replies} {
		if n != 0 {
			m[name] = N(int64(n))
		}
	}
	if !comment.Edited.IsZero() {
		m["edited"] = S(tracker.FormatDateTime(comment.Edited))
	}
	setStrings(m, "mentions", comment.Mentions)
	if reacted := EncodeReacted(comment.Reactions); reacted != nil {
		m["reacted"] = reacted
	}
	m["version"] = N(comment.Version)
	return m
}

// Change returns the attributes that a change of a comment sets and removes.
func (c Comments) Change(old, comment *tracker.Comment) (set Item, remove []string) {
	was := c.Encode(old)
	set = c.Encode(comment)
	for name := range was {
		if set[name] == nil {
			remove = append(remove, name)
		}
	}
	maps.DeleteFunc(set, func(name string, _ types.AttributeValue) bool {
		return name == AttrPK || name == AttrSK || slices.Contains(counters, name)
	})
	slices.Sort(remove)
	return set, remove
}

// EncodeReacted returns the numbers of reactions as an attribute, nil if there are none.
func EncodeReacted(counts map[tracker.Reaction]int) types.AttributeValue {
	m := Item{}
	for r, n := range counts {
		if n != 0 {
			m[string(r)] = N(int64(n))
		}
	}
	if len(m) == 0 {
		return nil
	}
	return &types.AttributeValueMemberM{Value: m}
}

// Decode decodes a comment. It returns Internal if the item cannot be decoded.
func (c Comments) Decode(m Item) (*tracker.Comment, error) {
	k, ok := c.Parse(GetS(m, AttrSK))
	if !ok || k.Kind != CommentItem {
		return nil, tracker.Internal("the item of a comment has a key that is not a comment's", nil)
	}
	comment := &tracker.Comment{Ref: tracker.CommentRef{Issue: c.issue, Parent: k.Parent, ID: k.ID},
		Author: tracker.UserID(GetS(m, "author")), Body: decodeCommentBody(m), Edits: int(GetN(m, "edits")),
		Language: GetS(m, "lang"), Rating: int(GetN(m, "rated")), Replies: int(GetN(m, "replies")),
		Mentions: getStrings[tracker.UserID](m, "mentions"), Version: GetN(m, "version")}
	for r := range GetM(m, "reacted") {
		if comment.Reactions == nil {
			comment.Reactions = map[tracker.Reaction]int{}
		}
		comment.Reactions[tracker.Reaction(r)] = int(GetN(GetM(m, "reacted"), r))
	}
	if edited := GetS(m, "edited"); edited != "" {
		var err error
		if comment.Edited, err = time.Parse(time.RFC3339Nano, edited); err != nil {
			return nil, tracker.Internal("a comment has no valid time of its last edit", err)
		}
	}
	return comment, nil
}

// EncodeEdit returns the item of a text that was replaced.
func (c Comments) EncodeEdit(ref tracker.CommentRef, e tracker.CommentEdit) Item {
	m := KeyItem(c.Edit(ref, e.N))
	encodeCommentBody(m, e.Body)
	m["at"] = S(tracker.FormatDateTime(e.At))
	if e.By != "" {
		m["by"] = S(string(e.By))
	}
	return m
}

// DecodeEdit decodes a text that was replaced. It returns Internal if the item cannot be decoded.
func (c Comments) DecodeEdit(m Item) (*tracker.CommentEdit, error) {
	k, ok := c.Parse(GetS(m, AttrSK))
	at, err := time.Parse(time.RFC3339Nano, GetS(m, "at"))
	if !ok || k.Kind != CommentEditItem || err != nil {
		return nil, tracker.Internal("the item of an edit is damaged", err)
	}
	return &tracker.CommentEdit{N: k.N, Body: decodeCommentBody(m), At: at,
		By: tracker.UserID(GetS(m, "by"))}, nil
}

func encodeCommentBody(m Item, b tracker.CommentBody) {
	if b.Inline() {
		m["body"] = S(b.Text)
	} else {
		m["long"] = N(int64(b.Bytes))
	}
}

func decodeCommentBody(m Item) tracker.CommentBody {
	if n := GetN(m, "long"); n > 0 {
		return tracker.CommentBody{Bytes: int(n)}
	}
	return tracker.BodyOf(GetS(m, "body"))
}

// EncodeText returns the item of a text that is not in its comment.
func (c Comments) EncodeText(ref tracker.CommentRef, n int, text string) Item {
	m := KeyItem(c.Body(ref, n))
	data, compressed := deflate(text)
	m["v"] = B(data)
	if compressed {
		m["z"] = Bool(true)
	}
	return m
}
