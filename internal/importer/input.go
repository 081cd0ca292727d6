package importer

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"sync/atomic"
	"unicode/utf8"

	"issuegrid/tracker"
)

// input is the file of an import. It can be read several times.
type input struct {
	path    string // or name
	content io.ReaderAt
	size    int64
	close   func()
	read    *form // see reading
}

func openInput(opts Options) (*input, error) {
	if opts.Source != nil {
		return &input{path: opts.File, content: opts.Source, size: opts.Size, close: func() {}}, nil
	}
	f, err := os.Open(opts.File)
	if err != nil {
		return nil, tracker.Bad("file", "cannot open the file: %v", err)
	}
	info, err := f.Stat()
	switch {
	case err != nil:
		f.Close()
		return nil, tracker.Bad("file", "%s: %v", opts.File, err)
	case info.IsDir():
		f.Close()
		return nil, tracker.Bad("file", "%s is a directory", opts.File)
	case !info.Mode().IsRegular():
		defer f.Close()
		return spool(opts.File, f)
	}
	return &input{path: opts.File, content: f, size: info.Size(), close: func() { f.Close() }}, nil
}

// spool copies a stream that can be read only once.
func spool(path string, from io.Reader) (*input, error) {
	f, err := os.CreateTemp("", "issuegrid-import-*")
	if err != nil {
		return nil, tracker.Internal("cannot create a temporary file for input that can be read only "+
			"once", err)
	}
	in := &input{path: path, content: f, close: func() {
		f.Close()
		os.Remove(f.Name())
	}}
	if in.size, err = io.Copy(f, from); err != nil {
		in.close()
		return nil, tracker.Internal("copying "+path+" to a temporary file", err)
	}
	return in, nil
}

// damaged returns the error for a file that cannot be read further.
func (in *input) damaged(err error) error {
	if _, ours := errors.AsType[*tracker.Error](err); ours {
		return err
	}
	if errors.Is(err, io.ErrUnexpectedEOF) {
		err = errors.New("the compressed data ends too early; the file is not complete")
	}
	return tracker.Bad("file", "%s: %v", in.path, err)
}

func (in *input) report(opts Options, stage Stage, done int64) {
	if opts.Progress != nil {
		opts.Progress(Progress{Stage: stage, Done: done, Total: in.size})
	}
}

// pass is one pass over the file from its start.
type pass struct {
	reader reader
	bytes  atomic.Int64
	text   *limited
	blank  int64 // records without content, which are skipped
	// skipped and repeats are those of a csvReader.
	skipped int64
	repeats []int
}

// read returns the number of bytes of the file read so far, before decompression.
func (p *pass) read() int64 { return p.bytes.Load() }

// unpacked returns the number of bytes read so far, after decompression.
func (p *pass) unpacked() int64 { return p.text.read }

// peek is how many bytes the format is detected from.
const peek = 64 << 10

// pass starts a pass. A record of JSON Lines begins with the columns of preset.
func (in *input) pass(ctx context.Context, opts Options, preset []string) (*pass, error) {
	form, err := in.reading(ctx, opts)
	if err != nil {
		return nil, err
	}
	p := &pass{}
	raw, err := in.raw(opts, p)
	if err != nil {
		return nil, err
	}
	if _, err := marked(raw); err != nil {
		return nil, in.damaged(err)
	}
	text := decoded(raw, form.Encoding)
	if form.Format == JSONLines {
		p.reader = newJSONReader(text, preset, opts.maxRecord())
		return p, nil
	}
	csv, err := newCSVReader(text, form, opts.RemoveApostrophes, opts.maxRecord())
	if err != nil {
		return nil, in.damaged(err)
	}
	p.reader, p.skipped, p.repeats = csv, csv.skipped, csv.repeats
	return p, nil
}

// raw opens the file for a pass, and decompresses it.
func (in *input) raw(opts Options, p *pass) (*bufio.Reader, error) {
	// The section has the length of the file when it was opened, so that all passes over a growing file read
	// the same.
	section := io.NewSectionReader(in.content, 0, in.size)
	text, err := plain(bufio.NewReaderSize(&counted{section, &p.bytes}, peek))
	if err != nil {
		return nil, in.damaged(err)
	}
	p.text = &limited{r: text, max: opts.MaxBytes}
	return bufio.NewReaderSize(p.text, peek), nil
}

// limited counts what it reads, and returns an error at more than max bytes unless max is 0.
type limited struct {
	r         io.Reader
	read, max int64
}

func (l *limited) Read(b []byte) (int, error) {
	n, err := l.r.Read(b)
	if l.read += int64(n); l.max > 0 && l.read > l.max {
		return 0, tracker.Bad("file", "the file has more than %d bytes after decompression, the limit of an "+
			"import over HTTP; split it, or run `issuegrid import`", l.max)
	}
	return n, err
}

type counted struct {
	r io.Reader
	n *atomic.Int64
}

func (c *counted) Read(b []byte) (int, error) {
	n, err := c.r.Read(b)
	c.n.Add(int64(n))
	return n, err
}

// plain decompresses a gzip file, and rejects other compressed formats, also inside a gzip file.
func plain(raw *bufio.Reader) (*bufio.Reader, error) {
	start, err := raw.Peek(2)
	if err != nil && !errors.Is(err, io.EOF) {
		return nil, err
	}
	if bytes.HasPrefix(start, []byte{0x1f, 0x8b}) {
		z, err := gzip.NewReader(raw)
		if err != nil {
			return nil, err
		}
		raw = bufio.NewReaderSize(z, peek)
	}
	start, err = raw.Peek(4)
	switch {
	case err != nil && !errors.Is(err, io.EOF):
		return nil, err
	case bytes.HasPrefix(start, []byte("PK\x03\x04")):
		return nil, errors.New("this is a ZIP file, or a spreadsheet of Excel or LibreOffice; save it as " +
			"CSV (UTF-8)")
	case bytes.HasPrefix(start, []byte{0x28, 0xb5, 0x2f, 0xfd}):
		return nil, errors.New("this is compressed with zstd; unpack it, or use gzip")
	}
	return raw, nil
}

// detect returns the format: JSON Lines begin with an object.
func detect(start []byte) (Format, error) {
	start = bytes.TrimLeft(start, " \t\r\n")
	if bytes.HasPrefix(start, []byte("{")) {
		return JSONLines, nil
	}
	if rest, ok := bytes.CutPrefix(start, []byte("[")); ok &&
		bytes.HasPrefix(bytes.TrimLeft(rest, " \t\r\n"), []byte("{")) {
		return "", errors.New("the file is one JSON array; write its objects one a line (JSON Lines), for " +
			"example with jq -c '.[]'")
	}
	return CSV, nil
}

// checkColumnNames rejects names that are not valid UTF-8.
func checkColumnNames(names []string) error {
	for i, name := range names {
		if !utf8.ValidString(name) {
			return fmt.Errorf("the name of column %d is not valid UTF-8; set the encoding of the file", i+1)
		}
	}
	return nil
}
