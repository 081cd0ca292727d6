package local

import (
	"bufio"
	"errors"
	"io"
	"strings"
	"sync"
	"unicode"
)

const (
	tailLines = 5   // lines kept of what a program said last
	lineLimit = 300 // bytes kept of each
)

// output reads everything that the engine writes, so that it never blocks on a full pipe; keeps the last
// lines for the sentence about its death; and tells when it has announced the address that it serves.
type output struct {
	address   string
	announced chan struct{} // closed once a line has named the address
	ended     chan struct{} // closed at the end of the stream: no process that could write is left

	mu    sync.Mutex
	lines []string
	seen  bool
}

func newOutput(address string) *output {
	return &output{address: address, announced: make(chan struct{}), ended: make(chan struct{})}
}

// read consumes r to its end. A line longer than the buffer counts as several.
func (o *output) read(r io.Reader) {
	defer close(o.ended)
	br := bufio.NewReader(r)
	for {
		line, err := br.ReadSlice('\n')
		o.add(string(line))
		if err != nil && !errors.Is(err, bufio.ErrBufferFull) {
			return
		}
	}
}

func (o *output) add(line string) {
	text := printable(line)
	if text == "" {
		return
	}
	o.mu.Lock()
	defer o.mu.Unlock()
	if strings.Contains(line, o.address) {
		if !o.seen {
			o.seen = true
			close(o.announced)
		}
		return // no news in a sentence about a death
	}
	o.lines = append(o.lines, text)
	if len(o.lines) > tailLines {
		o.lines = o.lines[1:]
	}
}

// tail returns the last lines as one, "" when nothing was said.
func (o *output) tail() string {
	o.mu.Lock()
	defer o.mu.Unlock()
	return strings.Join(o.lines, " / ")
}

// lastWords is what tail would return had a program written text.
func lastWords(text string) string {
	o := newOutput("\x00") // announces nothing
	o.read(strings.NewReader(text))
	return o.tail()
}

// printable makes a line fit for a sentence: no control characters or escape sequences that would play with
// the terminal.
func printable(line string) string {
	line = strings.Map(func(r rune) rune {
		if !unicode.IsPrint(r) {
			return ' '
		}
		return r
	}, strings.ToValidUTF8(line, "?"))
	line = strings.TrimSpace(line)
	if len(line) > lineLimit {
		line = strings.ToValidUTF8(line[:lineLimit], "") + "..."
	}
	return line
}
