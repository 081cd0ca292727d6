package sortkey

import "unicode/utf8"

// Folder folds a text piece by piece, as far as somebody asks for it, into a buffer of theirs: what its Appends append, one after the other, is Fold
// of the text. The zero Folder is one of an empty text. It holds no memory but the text.
//
// # Order of marks
//
// Decomposing a text puts the marks after a letter into the order of their combining classes (canonical ordering), and does so twice: before the
// nonspacing marks are removed and after. Most marks are removed, so their order makes no difference. What is left are some thirty spacing marks
// (Mc) of a class other than 0: viramas (class 9), Hangul tone marks (224), marks of musical notation (216, 226). "\U0001D165\u302e" keeps its
// order, "\u302e\U0001D165" changes it.
//
// x/text limits what it sorts: after 30 non-starters in a row it inserts U+034F, which marks do not pass. U+034F is a nonspacing mark and so is removed
// again, but the order in which marks were left stays. So the result depends on how many non-starters precede a mark, the removed ones included.
//
// Both times are a state machine (run) that counts non-starters and holds back at most 30 marks. The machines are at work only from the first character
// that needs ordering to the next letter that does not, because such a letter sets them back to where they began.
type Folder struct {
	text  string
	at    int // what has been read of the text
	table *table
	// ordering reports whether the machines are at work.
	ordering      bool
	before, after run // the removal of marks
}

// Reset begins with another text.
func (f *Folder) Reset(text string) { f.text, f.at, f.ordering = text, 0, false }

// Done reports whether all of the text has been read and appended.
func (f *Folder) Done() bool { return f.at == len(f.text) && !f.ordering }

// Append reads at least most bytes of the text, to the end of a character, or what is left of the text. It appends what they fold to, and returns
// how many bytes it has read. What is appended may be shorter than what was read, or empty, and up to 11 times as long.
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
		dst = f.settle(dst)
	}
	return dst, f.at - began
}

// appendPlain goes on to stop, or to a character that needs ordering.
func (f *Folder) appendPlain(dst []byte, stop int) []byte {
	t, s, i := f.table, f.text, f.at
	from := i // s[from:i] folds to itself and is not in dst yet
	for i < stop {
		c := s[i]
		if c < utf8.RuneSelf {
			if next := foldedPrefix(s[:stop], i); next > i {
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
			f.order(i)
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

// appendLower appends the ASCII characters from s[i] on in lower case, but none from s[stop] on, and returns where they end.
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

// order puts the machines to work: they read on from after the last letter before i that does not need ordering.
func (f *Folder) order(i int) {
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

// appendOrdered goes on to stop, or to a letter that does not need ordering.
func (f *Folder) appendOrdered(dst []byte, stop int) []byte {
	t := f.table
	for f.at < stop {
		c := f.text[f.at]
		if c < utf8.RuneSelf {
			return f.settle(dst)
		}
		r, size := decode(f.text, f.at)
		e := t.entry(r)
		if e == 0 || isSyllable(r) || e.length() > 0 && !e.ordered() {
			return f.settle(dst)
		}
		f.at += size
		if lead := e.lead(); lead == 0 {
			dst = f.release(dst)
			f.before.count = e.trail()
		} else if f.before.overflows(lead) || e.barrier() {
			dst = f.release(dst)
		}
		text := t.text(e)
		order := t.texts[e.place()+len(text):]
		for len(text) > 0 {
			m := mark{nonStarter: order[0], class: order[1]}
			_, n := utf8.DecodeRune(text)
			m.size = uint8(copy(m.text[:], text[:n]))
			text, order = text[n:], order[2:]
			if m.class > 0 {
				f.before.insert(m)
				continue
			}
			dst = f.again(f.release(dst), m)
		}
	}
	return dst
}

// again is the second ordering, of what is left after marks have been removed.
func (f *Folder) again(dst []byte, m mark) []byte {
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

// release passes on what the first machine has held back.
func (f *Folder) release(dst []byte) []byte {
	held := f.before.held
	f.before.held = 0
	for i := range held {
		dst = f.again(dst, f.before.marks[i])
	}
	return dst
}

// settle ends the work of the machines.
func (f *Folder) settle(dst []byte) []byte {
	f.ordering = false
	return f.after.flush(f.release(dst))
}

// run is a row of non-starters, of which it holds back the marks that may still change places.
type run struct {
	count int // non-starters since the last starter, or since x/text has put U+034F among them
	held  int
	marks [maxNonStarters]mark
}

type mark struct {
	nonStarter, class, size uint8
	text                    [utf8.UTFMax]byte
}

// overflows counts n more non-starters, and reports whether U+034F is put before them.
func (r *run) overflows(n int) bool {
	if r.count += n; r.count > maxNonStarters {
		r.count = n
		return true
	}
	return false
}

// insert puts a mark after those of its class and of lower ones.
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
