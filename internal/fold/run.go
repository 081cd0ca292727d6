package fold

import "unicode/utf8"

// run is a letter and the marks after it. It composes the letter with the first of them that it can be
// composed with, and sorts the others by combining class.
type run struct {
	letter rune // a letter that can be composed, or 0
	mark   rune // what it is composed with, or 0
	class  uint8
	held   int
	marks  [maxMarks]mark
}

// maxMarks is the number of marks that are sorted together, as many as x/text sorts.
const maxMarks = 30

type mark struct {
	class, size uint8
	text        [utf8.UTFMax]byte
}

// character is a character that has no decomposition.
type character struct {
	r     rune
	class uint8  // combining class
	open  bool   // whether a mark can be composed with its folded form
	text  []byte // its folded form, empty if it is removed
}

// add adds a character. It appends what can no longer change to dst.
func (r *run) add(dst []byte, letters map[pair]rune, c character) []byte {
	switch {
	case c.class == 0 && len(c.text) == 0: // as if it were not there
	case c.class == 0:
		dst = append(r.flush(dst, letters), c.text...)
		if c.open {
			last, size := utf8.DecodeLastRune(c.text)
			dst, r.letter = dst[:len(dst)-size], last
		}
	case r.composes(letters, c):
		r.mark, r.class = c.r, c.class // A mark that this replaces is one that is removed.
	case len(c.text) > 0:
		if r.held == maxMarks {
			dst = r.flush(dst, letters)
		}
		r.insert(c)
	}
	return dst
}

// composes reports whether a mark can be composed with the letter, and is before another that can in
// canonical order.
func (r *run) composes(letters map[pair]rune, c character) bool {
	return r.letter != 0 && r.held < maxMarks && (r.mark == 0 || c.class < r.class) &&
		letters[pair{r.letter, c.r}] != 0
}

// insert inserts a mark after those of the same and of lower classes.
func (r *run) insert(c character) {
	m := mark{class: c.class}
	m.size = uint8(copy(m.text[:], c.text))
	i := r.held
	for ; i > 0 && r.marks[i-1].class > m.class; i-- {
		r.marks[i] = r.marks[i-1]
	}
	r.marks[i] = m
	r.held++
}

// flush appends the letter and the marks, and forgets them.
func (r *run) flush(dst []byte, letters map[pair]rune) []byte {
	if r.letter != 0 {
		letter := r.letter
		if r.mark != 0 {
			letter = letters[pair{letter, r.mark}]
		}
		dst = utf8.AppendRune(dst, letter)
	}
	for i := range r.held {
		m := &r.marks[i]
		dst = append(dst, m.text[:m.size]...)
	}
	r.letter, r.mark, r.held = 0, 0, 0
	return dst
}
