package fold

import "unicode/utf8"

// Folder folds a string in chunks, into buffers of the caller: the concatenated results of its Append calls
// are what String returns. The zero Folder folds the empty string. A Folder holds no memory except the
// string.
//
// # Order of marks
//
// Decomposition sorts the marks after a letter by combining class (canonical ordering). This happens twice:
// before and after the removal of nonspacing marks. The order of the removed marks does not matter. The
// others are about thirty spacing marks (Mc) with a class other than 0: viramas (class 9), Hangul tone marks
// (224), and marks of musical notation (216, 226). "\U0001D165\u302e" keeps its order, "\u302e\U0001D165"
// changes it.
//
// x/text limits what it sorts: after 30 consecutive non-starters it inserts U+034F, and does not move marks
// across it. U+034F is itself a nonspacing mark and is removed, but the order of the marks remains. Therefore
// the result depends on the number of non-starters before a mark, including the removed ones.
//
// Each of the two steps is a state machine (run) that counts non-starters and buffers at most 30 marks. The
// machines run from the first character that needs ordering to the next letter that does not, because such a
// letter resets them.
type Folder struct {
	text  string
	at    int // bytes of text read so far
	table *table
	// ordering reports whether the state machines are running.
	ordering      bool
	before, after run // removal of marks
}

// Reset makes f fold text from its beginning.
func (f *Folder) Reset(text string) { f.text, f.at, f.ordering = text, 0, false }

// Done reports whether all of the string has been read and its folded form appended.
func (f *Folder) Done() bool { return f.at == len(f.text) && !f.ordering }

// Append reads at least most bytes of the string, up to the end of a character, or the rest of the string if
// it is shorter. It appends their folded form to dst and returns the number of bytes read. The appended form
// can be empty, and at most 11 times as long as what was read.
func (f *Folder) Append(dst []byte, most int) (folded []byte, read int) {
	if f.table == nil {
		f.table = foldTable()
	}
	began, stop := f.at, len(f.text)
	if most < stop-began {
		stop = max(began+most, began+1)
	}
	for f.at < stop {
		if f.ordering {
			dst = f.appendOrdered(dst, stop)
		} else {
			dst = f.appendPlain(dst, stop)
		}
	}
	if f.ordering && f.at == len(f.text) {
		dst = f.finishOrdering(dst)
	}
	return dst, f.at - began
}

// appendPlain folds up to stop, or up to a character that needs ordering.
func (f *Folder) appendPlain(dst []byte, stop int) []byte {
	t, s, i := f.table, f.text, f.at
	from := i // s[from:i] folds to itself and is not yet in dst
	for i < stop {
		c := s[i]
		if c < utf8.RuneSelf {
			if next := prefix(s[:stop], i); next > i {
				i = next
				continue
			}
			dst = append(dst, s[from:i]...)
			dst, i = appendLower(dst, s, i, stop)
			from = i
			continue
		}
		r, size := decode(s, i)
		if isSyllable(r) {
			if from < i {
				dst = append(dst, s[from:i]...)
			}
			dst = appendSyllable(dst, int(r-hangulFirst))
			i += size
			from = i
			continue
		}
		e := t.entry(r)
		switch {
		case e == 0 && (size > 1 || r != utf8.RuneError):
			i += size
			continue
		case e.ordered():
			dst = append(dst, s[from:i]...)
			f.startOrdering(i)
			return dst
		}
		if from < i {
			dst = append(dst, s[from:i]...)
		}
		if e == 0 {
			dst = utf8.AppendRune(dst, utf8.RuneError)
		} else {
			dst = append(dst, t.text(e)...)
		}
		i += size
		from = i
	}
	f.at = i
	return append(dst, s[from:i]...)
}

// appendLower appends the ASCII characters of s[i:stop] in lower case, up to the first other character, and
// returns the index after them.
func appendLower(dst []byte, s string, i, stop int) ([]byte, int) {
	from := i
	for i < stop && s[i] < utf8.RuneSelf {
		i++
	}
	n := len(dst)
	dst = append(dst, s[from:i]...)
	for k, c := range dst[n:] {
		if c-'A' < 26 {
			dst[n+k] = c + 'a' - 'A'
		}
	}
	return dst, i
}

// startOrdering starts the state machines. They resume after the last letter before i that does not need
// ordering.
func (f *Folder) startOrdering(i int) {
	t := f.table
	f.ordering, f.at = true, 0
	f.before.count, f.before.held, f.after.count, f.after.held = 0, 0, 0, 0
	for i > 0 {
		r, size := utf8.DecodeLastRuneInString(f.text[:i])
		e := t.entry(r)
		switch {
		case isSyllable(r):
			f.at = i
			f.before.count = 2
			if (r-hangulFirst)%28 == 0 {
				f.before.count = 1
			}
			f.after.count = f.before.count
			return
		case e == 0 || e.length() > 0:
			f.at = i
			f.before.count, f.after.count = e.trail(), e.kept()
			return
		}
		i -= size
	}
}

// appendOrdered folds up to stop, or up to a letter that does not need ordering.
func (f *Folder) appendOrdered(dst []byte, stop int) []byte {
	t := f.table
	for f.at < stop {
		c := f.text[f.at]
		if c < utf8.RuneSelf {
			return f.finishOrdering(dst)
		}
		r, size := decode(f.text, f.at)
		e := t.entry(r)
		if e == 0 || isSyllable(r) || e.length() > 0 && !e.ordered() {
			return f.finishOrdering(dst)
		}
		f.at += size
		if lead := e.lead(); lead == 0 {
			dst = f.release(dst)
			f.before.count = e.trail()
		} else if f.before.overflows(lead) || e.barrier() {
			dst = f.release(dst)
		}
		text := t.text(e)
		order := t.texts[e.offset()+len(text):]
		for len(text) > 0 {
			m := mark{nonStarter: order[0], class: order[1]}
			_, n := utf8.DecodeRune(text)
			m.size = uint8(copy(m.text[:], text[:n]))
			text, order = text[n:], order[2:]
			if m.class > 0 {
				f.before.insert(m)
				continue
			}
			dst = f.reorder(f.release(dst), m)
		}
	}
	return dst
}

// reorder is the second ordering, after the removal of marks.
func (f *Folder) reorder(dst []byte, m mark) []byte {
	if m.nonStarter == 0 {
		dst = f.after.flush(dst)
		f.after.count = 0
	} else if f.after.overflows(1) {
		dst = f.after.flush(dst)
	}
	if m.class > 0 {
		f.after.insert(m)
		return dst
	}
	return append(f.after.flush(dst), m.text[:m.size]...)
}

// release passes the marks buffered by the first machine to the second.
func (f *Folder) release(dst []byte) []byte {
	held := f.before.held
	f.before.held = 0
	for i := range held {
		dst = f.reorder(dst, f.before.marks[i])
	}
	return dst
}

// finishOrdering stops the state machines and appends what they have buffered.
func (f *Folder) finishOrdering(dst []byte) []byte {
	f.ordering = false
	return f.after.flush(f.release(dst))
}

// run is a sequence of consecutive non-starters. It buffers the marks whose order can still change.
type run struct {
	count int // non-starters since the last starter or the last U+034F inserted by x/text
	held  int
	marks [maxNonStarters]mark
}

type mark struct {
	nonStarter, class, size uint8
	text                    [utf8.UTFMax]byte
}

// overflows counts n more non-starters, and reports whether x/text inserts U+034F before them.
func (r *run) overflows(n int) bool {
	if r.count += n; r.count > maxNonStarters {
		r.count = n
		return true
	}
	return false
}

// insert inserts a mark after those of the same and of lower classes.
func (r *run) insert(m mark) {
	i := r.held
	for ; i > 0 && r.marks[i-1].class > m.class; i-- {
		r.marks[i] = r.marks[i-1]
	}
	r.marks[i] = m
	r.held++
}

func (r *run) flush(dst []byte) []byte {
	for i := range r.held {
		m := &r.marks[i]
		dst = append(dst, m.text[:m.size]...)
	}
	r.held = 0
	return dst
}
