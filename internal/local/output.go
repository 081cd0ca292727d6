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
	tailLines = 5   // lines kept of a program's last output
	lineLimit = 300 // bytes kept of each line
)

// output reads everything that the engine writes, so that the engine never blocks on a full pipe. It keeps
// the last lines for error messages, and signals when the engine has announced its address.
type output struct {
	address   string
	announced chan struct{} // closed when a line has contained the address
	ended     chan struct{} // closed at the end of the stream: no process can write any more

	mu    sync.Mutex
	lines []string
	seen  bool
}

func newOutput(address string) *output {
	return &output{address: address, announced: make(chan struct{}), ended: make(chan struct{})}
}

// read consumes r to its end. A line longer than the buffer counts as several lines.
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
		return // the announcement says nothing about a failure
	}
	o.lines = append(o.lines, text)
	if len(o.lines) > tailLines {
		o.lines = o.lines[1:]
	}
}

// tail returns the last lines joined into one, or "" if there are none.
func (o *output) tail() string {
	o.mu.Lock()
	defer o.mu.Unlock()
	return strings.Join(o.lines, " / ")
}

// lastWords returns what tail would return for the given output of a program.
func lastWords(text string) string {
	o := newOutput("\x00") // announces nothing
	o.read(strings.NewReader(text))
	return o.tail()
}

// printable makes a line fit for an error message: it replaces control characters, which could start terminal
// sequences, and limits the length.
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
