package check

import (
	"context"
	"fmt"
	"slices"

	"issuegrid/dynamo/internal/layout"
	"issuegrid/tracker"
)

// commentsSeen is what was read of the comments of an issue (K1 to K5 of package comments).
type commentsSeen struct {
	at       layout.Comments
	comments map[tracker.CommentID]*commentSeen
	entries  map[layout.Key]tracker.CommentID
	sums     map[string]layout.Item
	rest     []restSeen
	// expires are the keys of the items that DynamoDB is going to remove.
	expires []layout.Key
	damage  []Finding
	// unreadable is set if a comment cannot be decoded, so that its share of the counts is not known.
	unreadable bool
}

// commentSeen is a comment without its text.
type commentSeen struct {
	key     layout.Key
	ref     tracker.CommentRef
	entries []layout.Key
	sums    []layout.Key
	rating  int
	// counters has the attributes of the item that follow from others, and the version.
	counters layout.Item
	long     []int // the numbers of the texts that the comment and its edits refer to
	texts    map[int]bool
	reacted  map[tracker.Reaction]int
	replies  int
}

// restSeen is an item that belongs to a comment.
type restSeen struct {
	key layout.Key
	of  layout.CommentKey
}

var (
	commentTextAttributes = attributes{"v": "B", "z": "BOOL?", layout.AttrExpires: "N?"}
	commentKeyAttributes  = attributes{layout.AttrExpires: "N?"}
)

// add adds an item. It returns false if the item is not one of comments.
func (s *commentsSeen) add(in interface{ Expired(layout.Item) bool }, m layout.Item) bool {
	k, ok := s.at.Parse(layout.GetS(m, layout.AttrSK))
	if !ok {
		return false
	}
	if in.Expired(m) {
		return true // with the issue
	}
	if m[layout.AttrExpires] != nil {
		s.expires = append(s.expires, layout.KeyOf(m))
	}
	if s.comments == nil {
		s.comments = map[tracker.CommentID]*commentSeen{}
		s.entries = map[layout.Key]tracker.CommentID{}
		s.sums = map[string]layout.Item{}
	}
	switch k.Kind {
	case layout.CommentItem:
		s.addComment(k, m)
	case layout.CommentEntry:
		s.entries[layout.KeyOf(m)] = k.ID
		s.damage = append(s.damage, damaged(m, commentKeyAttributes.unexpected(m))...)
	case layout.CommentSum:
		s.sums[k.Language] = m
	default:
		s.addRest(k, m)
	}
	return true
}

func (s *commentsSeen) addComment(k layout.CommentKey, m layout.Item) {
	c, err := s.at.Decode(m)
	if err != nil {
		s.damage = append(s.damage, Finding{Kind: KindItem, Key: layout.KeyOf(m), Detail: err.Error()})
		s.comments[k.ID], s.unreadable = &commentSeen{key: layout.KeyOf(m), ref: s.at.Ref(k)}, true
		return
	}
	encoded := s.at.Encode(c)
	if m[layout.AttrExpires] != nil {
		encoded[layout.AttrExpires] = m[layout.AttrExpires]
	}
	names := differences(m, encoded)
	if err := c.Check(c); err != nil && len(names) == 0 {
		names = []string{err.Error()}
	}
	s.damage = append(s.damage, damaged(m, names)...)
	seen := &commentSeen{key: layout.KeyOf(m), ref: c.Ref, entries: s.at.EntriesOf(c),
		sums: s.at.SumsOf(c), rating: c.Rating, counters: layout.Item{}}
	for _, name := range []string{"version", "reacted", "replies"} {
		if m[name] != nil {
			seen.counters[name] = m[name]
		}
	}
	if !c.Body.Inline() {
		seen.long = append(seen.long, c.Edits)
	}
	s.comments[c.Ref.ID] = seen
}

func (s *commentsSeen) addRest(k layout.CommentKey, m layout.Item) {
	one := restSeen{key: layout.KeyOf(m), of: k}
	switch k.Kind {
	case layout.CommentText:
		s.damage = append(s.damage, damaged(m, commentTextAttributes.unexpected(m))...)
	case layout.CommentReaction:
		s.damage = append(s.damage, damaged(m, commentKeyAttributes.unexpected(m))...)
	case layout.CommentEditItem:
		e, err := s.at.DecodeEdit(m)
		if err != nil {
			s.damage = append(s.damage, Finding{Kind: KindItem, Key: layout.KeyOf(m), Detail: err.Error()})
			break
		}
		// Comments come first.
		if c := s.comments[k.ID]; c != nil && c.ref.Parent == k.Parent && !e.Body.Inline() {
			c.long = append(c.long, k.N)
		}
		encoded := s.at.EncodeEdit(s.at.Ref(k), *e)
		if m[layout.AttrExpires] != nil {
			encoded[layout.AttrExpires] = m[layout.AttrExpires]
		}
		s.damage = append(s.damage, damaged(m, differences(m, encoded))...)
	}
	s.rest = append(s.rest, one)
}

// findings returns the findings about the comments. exists reports whether the issue has a document.
func (s *commentsSeen) findings(exists bool) []Finding {
	out := slices.Clone(s.damage)
	add := func(kind FindingKind, key layout.Key, format string, args ...any) {
		out = append(out, Finding{Kind: kind, Key: key, Detail: fmt.Sprintf(format, args...)})
	}
	out = append(out, s.attach()...)
	sums := map[layout.Key]*tracker.CommentCounts{}
	for _, c := range s.comments {
		version := layout.GetN(c.counters, "version")
		for _, k := range c.entries {
			if _, ok := s.entries[k]; !ok {
				add(KindComment, k, "the entry of version %d is missing", version)
			}
		}
		for _, k := range c.sums {
			if sums[k] == nil {
				sums[k] = new(tracker.CommentCounts)
			}
			sums[k][c.rating]++
		}
		if c.counters == nil { // damaged
			continue
		}
		if got := layout.GetN(c.counters, "replies"); int(got) != c.replies {
			add(KindComment, c.key, "%d replies, and it says %d", c.replies, got)
		}
		if want := layout.EncodeReacted(c.reacted); !sameAttribute(want, c.counters["reacted"]) {
			add(KindComment, c.key, "%d kinds of reactions of version %d differ from its counts",
				len(c.reacted), version)
		}
		for _, n := range c.long {
			if !c.texts[n] {
				add(KindItem, s.at.Body(c.ref, n), "the text of a comment is lost")
			}
		}
	}
	for k, id := range s.entries {
		if c := s.comments[id]; c != nil && c.counters != nil && !slices.Contains(c.entries, k) {
			add(KindComment, k, "the entry is not of version %d", layout.GetN(c.counters, "version"))
		}
	}
	if !s.unreadable {
		out = append(out, s.sumFindings(sums)...)
	}
	if exists {
		for _, k := range s.expires {
			add(KindCommentExpires, k, "")
		}
	}
	return out
}

// attach counts what belongs to each comment, and returns the findings about what belongs to none.
func (s *commentsSeen) attach() (out []Finding) {
	stray := func(k layout.Key) {
		out = append(out, Finding{Kind: KindCommentRest, Key: k})
	}
	for _, c := range s.comments {
		c.texts, c.reacted, c.replies = map[int]bool{}, map[tracker.Reaction]int{}, 0
	}
	for _, c := range s.comments {
		if !c.ref.Reply() {
			continue
		}
		if parent := s.comments[c.ref.Parent]; parent != nil {
			parent.replies++
		} else {
			stray(c.key)
		}
	}
	for k, id := range s.entries {
		if s.comments[id] == nil {
			stray(k)
		}
	}
	for _, one := range s.rest {
		c := s.comments[one.of.ID]
		switch {
		case c == nil || c.ref.Parent != one.of.Parent:
			stray(one.key)
		case one.of.Kind == layout.CommentText:
			c.texts[one.of.N] = true
		case one.of.Kind == layout.CommentReaction:
			c.reacted[one.of.Reaction]++
		}
	}
	return out
}

// sumFindings compares the counts that were read with those of the comments.
func (s *commentsSeen) sumFindings(want map[layout.Key]*tracker.CommentCounts) (out []Finding) {
	for language, m := range s.sums {
		_, got := s.at.DecodeSum(m)
		encoded := s.at.EncodeSum(language, got)
		for name := range encoded {
			if m[name] == nil {
				delete(encoded, name) // no comment has had this rating
			}
		}
		if m[layout.AttrExpires] != nil {
			encoded[layout.AttrExpires] = m[layout.AttrExpires]
		}
		out = append(out, damaged(m, differences(m, encoded))...)
		counts := want[s.at.Sum(language)]
		if counts == nil {
			counts = new(tracker.CommentCounts)
		}
		if got != *counts {
			out = append(out, Finding{Kind: KindComment, Key: layout.KeyOf(m),
				Detail: fmt.Sprintf("%v comments by rating, and it says %v", *counts, got)})
		}
		delete(want, s.at.Sum(language))
	}
	for k, counts := range want {
		out = append(out, Finding{Kind: KindComment, Key: k,
			Detail: fmt.Sprintf("%v comments by rating are not counted", *counts)})
	}
	return out
}

// commentsMoved reports whether the comments have changed since they were read, by comparing the findings
// with those of a second read. The comments of the second read are those at a time between both reads of the
// items that they are compared with, so that equal findings are those of one moment.
func (p *issuePartition) commentsMoved(ctx context.Context) (bool, error) {
	first := p.comments.findings(p.doc != nil)
	if len(first) == 0 || p.doc == nil && p.trash == nil {
		return false, nil
	}
	again := commentsSeen{at: p.comments.at}
	err := p.t.Prefix(ctx, again.at.Partition(), again.at.Prefix(), func(m layout.Item) error {
		again.add(p.t.DB, m)
		return nil
	})
	return !slices.Equal(byKey(first), byKey(again.findings(p.doc != nil))), err
}

// checkComments returns the findings about the comments. If the issue neither exists nor is in the trash, all
// of them belong to none.
func (p *issuePartition) checkComments(recent bool) (out []Finding) {
	s := &p.comments
	if p.doc != nil || p.trash != nil {
		return s.findings(p.doc != nil)
	}
	if recent {
		return nil // the deletion may still be in progress
	}
	stray := func(k layout.Key) { out = append(out, Finding{Kind: KindCommentRest, Key: k}) }
	for _, c := range s.comments {
		stray(c.key)
	}
	for k := range s.entries {
		stray(k)
	}
	for _, m := range s.sums {
		stray(layout.KeyOf(m))
	}
	for _, one := range s.rest {
		stray(one.key)
	}
	return out
}
