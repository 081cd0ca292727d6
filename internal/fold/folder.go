package fold

import (
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// Folder folds a string in chunks, into buffers of the caller: the concatenated results of its Append calls
// are what String returns. The zero Folder folds the empty string. A Folder holds no memory except the
// string.
//
// Most characters are folded alone, by the table. A character whose folded form depends on the marks after it
// begins a run, if marks follow it.
type Folder struct {
	text    string
	at      int // bytes of text read so far
	table   *table
	running bool // whether run has a character and the marks after it
	run     run
}

// Reset makes f fold text from its beginning.
func (f *Folder) Reset(text string) { f.text, f.at, f.running, f.run = text, 0, false, run{} }

// Done reports whether all of the string has been read and its folded form appended.
func (f *Folder) Done() bool { return f.at == len(f.text) && !f.running }

// Append reads at least most bytes of the string, up to the end of a character, or the rest of the string if
// it is shorter. It appends their folded form to dst and returns the number of bytes read. What is appended
// can be empty, because of a run of marks that continues, and is at most 11 times as long as what was read in
// all calls.
func (f *Folder) Append(dst []byte, most int) (folded []byte, read int) {
	if f.table == nil {
		f.table = foldTable()
	}
	began, stop := f.at, len(f.text)
	if most < stop-began {
		stop = max(began+most, began+1)
	}
	for f.at < stop {
		if f.running {
			dst = f.appendRun(dst, stop)
		} else {
			dst = f.appendPlain(dst, stop)
		}
	}
	if f.running && f.at == len(f.text) {
		dst = f.finishRun(dst)
	}
	return dst, f.at - began
}

// appendPlain folds up to stop, or up to and including a character that begins a run.
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
		case e == 0 && r == utf8.RuneError && size == 1:
		case e.context() && t.markAt(s, i+size):
			dst = append(dst, s[from:i]...)
			f.at, f.running = i+size, true
			return f.add(dst, r)
		case e.itself():
			i += size
			continue
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

// markAt reports whether the character at s[i] is a mark.
func (t *table) markAt(s string, i int) bool {
	if i >= len(s) || s[i] < utf8.RuneSelf {
		return false
	}
	r, _ := decode(s, i)
	return t.entry(r).mark()
}

// appendRun continues a run up to stop, or up to a character that is no mark.
func (f *Folder) appendRun(dst []byte, stop int) []byte {
	for f.at < stop {
		if !f.table.markAt(f.text, f.at) {
			return f.finishRun(dst)
		}
		r, size := decode(f.text, f.at)
		f.at += size
		dst = f.add(dst, r)
	}
	return dst
}

// add adds the characters of the decomposition of r to the run.
func (f *Folder) add(dst []byte, r rune) []byte {
	var buf [utf8.UTFMax]byte
	text := buf[:utf8.EncodeRune(buf[:], r)]
	if f.table.entry(r)&decomposes != 0 {
		text = norm.NFKD.Properties(text).Decomposition()
	}
	for len(text) > 0 {
		c, size := utf8.DecodeRune(text)
		e := f.table.entry(c)
		x := character{r: c, text: text[:size], open: e&isOpen != 0 && !e.mark()}
		if e != 0 {
			x.text = f.table.text(e)
		}
		if e.mark() {
			x.class = f.table.class(e)
		}
		dst = f.run.add(dst, f.table.letters, x)
		text = text[size:]
	}
	return dst
}

// finishRun ends the run and appends what it holds.
func (f *Folder) finishRun(dst []byte) []byte {
	f.running = false
	return f.run.flush(dst, f.table.letters)
}
