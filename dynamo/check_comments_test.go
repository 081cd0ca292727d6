package dynamo_test

import (
	"slices"
	"strings"

	"issuegrid/dynamo/check"
	"issuegrid/dynamo/comments"
	"issuegrid/tracker"
)

// comments adds every kind of item of comments to an issue.
func (f *fixture) comments(id tracker.IssueID) {
	f.Helper()
	store := comments.Of(f.store)
	add := func(c tracker.Comment) *tracker.Comment {
		f.Helper()
		c.Ref.Issue = id
		created, err := store.CreateComment(f.Context(), c, 1, nil)
		f.must(err)
		return created
	}
	first := add(tracker.Comment{Author: "u1", Rating: 4, Language: "en", Mentions: []tracker.UserID{"u2"},
		Body: tracker.BodyOf(strings.Repeat("A long text. ", 1000))})
	add(tracker.Comment{Body: tracker.BodyOf("without an author")})
	add(tracker.Comment{Ref: tracker.CommentRef{Parent: first.Ref.ID}, Author: "u2", Language: "de",
		Body: tracker.BodyOf("a reply")})
	_, err := store.UpdateComment(f.Context(), first.Ref, nil, "u1", func(c *tracker.Comment) error {
		c.Body = tracker.BodyOf("short")
		return nil
	}, nil)
	f.must(err)
	_, err = store.React(f.Context(), first.Ref, "HEART", "u2", true)
	f.must(err)
	gone := add(tracker.Comment{Author: "u1", Rating: 1, Language: "fr", Body: tracker.BodyOf("deleted")})
	f.must(store.DeleteComment(f.Context(), gone.Ref, nil, func(*tracker.Comment) error { return nil }))
}

// ofComments returns the key of the first item of comments whose name begins with prefix; of the comments
// themselves, that with a reaction.
func (d *damaged) ofComments(prefix string) key {
	d.Helper()
	var all []string
	for _, m := range d.raw.partition(d.doc.PK) {
		sk := m["SK"].(string)
		if strings.HasPrefix(sk, "acme/xcomment-"+prefix) && (prefix != "all." || m["reacted"] != nil) {
			all = append(all, sk)
		}
	}
	if len(all) == 0 {
		d.Fatalf("there is no item %s", prefix)
	}
	return key{d.doc.PK, slices.Min(all)}
}

// another returns a key that differs in the id of the comment, which no comment has.
func another(k key) key {
	sk := []byte(k.SK)
	at := strings.LastIndex(k.SK, ".") + 20
	sk[at] = map[bool]byte{true: '1', false: '0'}[sk[at] == '0']
	return key{k.PK, string(sk)}
}

// damagesOfComments are damages of the comments of the issue.
var damagesOfComments = []damage{
	{"a missing entry of a comment", func(d *damaged) {
		d.raw.delete(d.ofComments("both."))
	}, check.KindComment, restored},
	{"an entry with another rating", func(d *damaged) {
		at := d.ofComments("rated.4.")
		d.put(key{at.PK, strings.Replace(at.SK, "rated.4.", "rated.2.", 1)}, nil)
	}, check.KindComment, restored},
	{"wrong counts of comments",
		alters("xcomment-sum.", change{"rated4": num(7)}), check.KindComment, repaired},
	{"missing counts of a language", removes("xcomment-sum.en"), check.KindComment, repaired},
	{"a wrong number of replies", func(d *damaged) {
		d.alter(d.ofComments("all."), change{"replies": num(2)})
	}, check.KindComment, restored},
	{"no numbers of reactions", func(d *damaged) {
		d.alter(d.ofComments("all."), change{"reacted": nil})
	}, check.KindComment, restored},
	{"an entry of no comment", func(d *damaged) {
		d.put(another(d.ofComments("rated.4.")), nil)
	}, check.KindCommentRest, restored},
	{"a reaction to no comment", func(d *damaged) {
		none := strings.Repeat("0", 24)
		d.put(d.sk("xcomment-rest.%s.react.HEART.u1", none+"."+none), nil)
	}, check.KindCommentRest, restored},
	{"a reaction to no reply", func(d *damaged) {
		none := strings.Repeat("0", 24) + "." + strings.Repeat("1", 24)
		d.put(d.sk("xcomment-rest.%s.react.HEART.u1", none), nil)
	}, check.KindCommentRest, restored},
	{"comments of an issue that was purged",
		puts("issue-p1.none xcomment-sum.", item{"rated0": number("1")}), check.KindCommentRest, restored},
	{"a comment that expires", func(d *damaged) {
		d.alter(d.ofComments("all."), change{"expires": num(4_000_000_000)})
	}, check.KindCommentExpires, restored},
	{"a lost text of an edit", func(d *damaged) {
		at := d.ofComments("rest.")
		if !strings.Contains(at.SK, ".body.") {
			d.Fatalf("%v is not a text", at)
		}
		d.raw.delete(at)
	}, check.KindItem, unrepaired},
	{"a comment without a version", func(d *damaged) {
		d.alter(d.ofComments("all."), change{"version": nil})
	}, check.KindItem, unrepaired},
	{"an unknown item of comments", puts("xcomment-other.1", nil), check.KindKey, unrepaired},
}
