package grid

import (
	"bytes"
	"encoding/base64"
	"encoding/binary"
	"hash/crc32"
	"slices"
	"strings"

	"issuegrid/internal/sortkey"
	"issuegrid/tracker"
)

// Position is a position in the order of one column (G2). It contains neither the direction nor the position
// of the rows without a value, because it means the same for all of them. It contains no tenant, project or
// plan: a client that modifies one gets another position of a grid that it may read anyway.
type Position struct {
	Column tracker.Column // with its mark (OrderColumn.mark)
	// HasValue reports whether the position is among the rows with a value in the column.
	HasValue bool
	// Value is empty if HasValue is false, and in the order of the numbers.
	Value sortkey.Value
	Num   int64
	// Issue is the id, within its project, of the row at the position.
	Issue string
}

// anchorIssue is the issue id in cursors at positions without an issue. betweenIssue is that of a position
// between the rows with the number Num and the next one, which is also right in the reversed order.
const (
	anchorIssue  = "0"
	betweenIssue = "00"
)

// firstNum and lastNum are the numbers of positions before and after the rows of all issues with a value.
const (
	firstNum = 0
	lastNum  = tracker.MaxNum + 1
)

// start returns the position just before all rows that have the value at c or, like c, none.
func (o *OrderColumn) start(c Position) Position {
	if c = c.anchor(); o.Descending {
		c.Num = lastNum
	}
	return c
}

// End returns the position just after all rows that have the value at c or, like c, none.
func (o *OrderColumn) End(c Position) Position {
	if c = c.anchor(); !o.Descending {
		c.Num = lastNum
	}
	return c
}

// anchor returns the position with the value of c alone: with the number firstNum and without an issue.
func (c Position) anchor() Position {
	c.Num, c.Issue = firstNum, anchorIssue
	return c
}

// anchored reports whether c is before or after the rows of all issues with its value.
func (c Position) anchored() bool {
	return c.Issue == anchorIssue && (c.Num == firstNum || c.Num == lastNum)
}

// key is the key of a row, with its position in the order of the iterator that yields it.
type key struct {
	id tracker.IssueID
	// ss is the sort string: value and number, or the number alone.
	ss []byte
	// tail reports whether the row has no value in the column of the order.
	tail bool
}

// Cursor returns the position of the row. It is computed on demand, because most clients need only two per
// page. It returns an InternalErr if the index holds a sort string that is invalid for the column.
func (r *Row) Cursor() (Cursor, error) {
	last, err := r.Position()
	if err != nil {
		return nil, err
	}
	return join(r.lead, last), nil
}

// Position returns the last part of the cursor. It is that of the index entry that the row was found by,
// which may lag behind the document, or, of a row that was sorted in memory, that of the document.
func (r *Row) Position() (Position, error) {
	if r.order == nil {
		return *r.last, nil
	}
	return r.order.position(r.key)
}

func (o *OrderColumn) position(k key) (Position, error) {
	var v sortkey.Value
	var num int64
	var err error
	if o.byNum() || k.tail {
		num, err = sortkey.ParseNum(k.ss)
	} else {
		v, num, err = sortkey.Split(o.kind, k.ss)
	}
	if err != nil {
		return Position{}, tracker.Internal("the index has a sort string of another column", err)
	}
	c := o.at(!k.tail, v)
	c.Num, c.Issue = num, k.id.Issue
	return c, nil
}

// cursorVersion is the first byte of a position. Its format, encoded in base64url without padding, is
//
//	version, 1 if it has a value else 0, column, value, number (varint), issue,
//	CRC-32C of all preceding bytes (4 bytes, big-endian)
//
// where column, value and issue are each a uvarint length followed by that many bytes.
const cursorVersion = 1

// maxPosition is an upper bound of the length of an encoded position: a sort value of 960 bytes, two ids,
// and 20 bytes.
const maxPosition = 1500

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// String returns the encoded position, which is the cursor in an order of one column, and else a part of it.
func (c Position) String() string {
	b := make([]byte, 0, 24+len(c.Column)+len(c.Value)+len(c.Issue))
	b = append(b, cursorVersion, 0)
	if c.HasValue {
		b[1] = 1
	}
	b = append(binary.AppendUvarint(b, uint64(len(c.Column))), c.Column...)
	b = append(binary.AppendUvarint(b, uint64(len(c.Value))), c.Value...)
	b = binary.AppendVarint(b, c.Num)
	b = append(binary.AppendUvarint(b, uint64(len(c.Issue))), c.Issue...)
	b = binary.BigEndian.AppendUint32(b, crc32.Checksum(b, castagnoli))
	return base64.RawURLEncoding.EncodeToString(b)
}

// parse decodes a position in the order of the column. It returns BadInput, without a path, unless s is
// exactly what String returns for one. The checksum detects accidental damage only.
func (o *OrderColumn) parse(s string) (Position, error) {
	c, ok := parsePosition(s)
	if !ok {
		return Position{}, tracker.Bad("",
			"not a cursor of a grid; give one as pageInfo or an edge returned it, or leave it out for the "+
				"first page")
	}
	if c.Column != o.mark(c.HasValue, c.Value) {
		if column, _, _ := strings.Cut(string(c.Column), "~"); tracker.Column(column) == o.Column {
			return Position{}, tracker.Bad("", "the column's type, or its states or options, have changed "+
				"since the cursor was returned; leave it out to start again").MayBeOutdated()
		}
		return Position{}, tracker.Bad("", "the cursor belongs to a grid in the order of another column; "+
			"leave it out when the order changes")
	}
	if !o.admits(c) {
		return Position{}, tracker.Bad("",
			"the cursor has a sort value that its column cannot have; leave it out for the first page")
	}
	return c, nil
}

// admits reports whether c can be a position in the order of o's column.
func (o *OrderColumn) admits(c Position) bool {
	switch {
	case !c.HasValue:
		return o.hasTail() && len(c.Value) == 0
	case o.byNum():
		return len(c.Value) == 0
	}
	return sortkey.Valid(o.kind, c.Value)
}

// parsePosition decodes what String encodes. It accepts s only if the decoded cursor encodes to s again. This
// one check covers the version, the lengths, the checksum, and the canonical form of base64 and of varints.
func parsePosition(s string) (c Position, ok bool) {
	if len(s) > maxPosition {
		return Position{}, false
	}
	b, err := base64.RawURLEncoding.DecodeString(s)
	if err != nil || len(b) < 2 {
		return Position{}, false
	}
	c.HasValue = b[1] == 1
	p := parts(b[2:])
	c.Column = tracker.Column(p.bytes())
	c.Value = p.bytes()
	c.Num = p.varint()
	c.Issue = string(p.bytes())
	return c, tracker.ValidIssue(c.Issue) && c.String() == s
}

// parts is the undecoded rest of a position. A missing part decodes as empty, and so do all parts after it.
type parts []byte

func (p *parts) bytes() []byte {
	n, size := binary.Uvarint(*p)
	if size <= 0 || n > uint64(len(*p)-size) {
		*p = nil
		return nil
	}
	part := (*p)[size : size+int(n)]
	*p = (*p)[size+int(n):]
	return part
}

func (p *parts) varint() int64 {
	n, size := binary.Varint(*p)
	if size <= 0 {
		*p = nil
		return 0
	}
	*p = (*p)[size:]
	return n
}

// CountPosition is where a count ended at its budget: the number of issues counted, and what is left.
type CountPosition struct {
	n      int
	pieces []piece
	mark   uint32 // of what is counted
}

// countVersion is the first byte of the position of a count. It is followed by the mark (4 bytes), the number
// counted (varint), for each piece its range (varint), from and to (each a uvarint length and that many
// bytes), and a CRC-32C like that of a cursor.
const countVersion = 'c'

// maxCounted is the greatest number of issues counted in a position, so that sums stay 32-bit integers.
const maxCounted = 1 << 30

// maxCountPosition is an upper bound of the length of an encoded position.
const maxCountPosition = 1 << 16

// String returns the encoded position, which is opaque to clients.
func (p *CountPosition) String() string {
	b := binary.BigEndian.AppendUint32([]byte{countVersion}, p.mark)
	b = binary.AppendVarint(b, int64(p.n))
	for _, piece := range p.pieces {
		b = binary.AppendVarint(b, int64(piece.of))
		b = append(binary.AppendUvarint(b, uint64(len(piece.from))), piece.from...)
		b = append(binary.AppendUvarint(b, uint64(len(piece.to))), piece.to...)
	}
	b = binary.BigEndian.AppendUint32(b, crc32.Checksum(b, castagnoli))
	return base64.RawURLEncoding.EncodeToString(b)
}

// piece is a part of a range, between sort strings that no key has. Nil is the end of the range.
type piece struct {
	of       int
	from, to []byte
}

func parseCountPosition(s string) (*CountPosition, bool) {
	if len(s) > maxCountPosition {
		return nil, false
	}
	b, err := base64.RawURLEncoding.DecodeString(s)
	if err != nil || len(b) < 10 {
		return nil, false
	}
	out := CountPosition{mark: binary.BigEndian.Uint32(b[1:])}
	rest := parts(b[5 : len(b)-4])
	out.n = int(rest.varint())
	for len(rest) > 0 {
		p := piece{int(rest.varint()), rest.bytes(), rest.bytes()}
		if len(p.from) == 0 {
			p.from = nil
		}
		if len(p.to) == 0 {
			p.to = nil
		}
		n := len(out.pieces)
		if n > 0 && !out.pieces[n-1].before(&p) ||
			max(len(p.from), len(p.to)) > sortkey.MaxBytes-len(sortkey.Empties()) {
			return nil, false
		}
		out.pieces = append(out.pieces, p)
	}
	return &out, out.n >= 0 && out.n <= maxCounted && len(out.pieces) > 0 && out.String() == s
}

// before reports whether p ends before o begins.
func (p *piece) before(o *piece) bool {
	return p.of < o.of || p.of == o.of && p.to != nil && bytes.Compare(p.to, o.from) <= 0
}

// Cursor is a position in an order (G2): for each of its columns, the position in the order of that column.
// Only the last part of a row's position contains the number and the issue; the others are anchors, which
// contain only the value. A cursor with fewer parts than the order has columns is the position just before or
// just after the rows with these values. Nil is no position.
type Cursor []Position

// separator separates the parts of an encoded cursor. It occurs in none of them, and not in the marks that
// package graph appends.
const separator = "~"

// String returns the encoded cursor, which is opaque to clients.
func (c Cursor) String() string {
	parts := make([]string, len(c))
	for i := range c {
		parts[i] = c[i].String()
	}
	return strings.Join(parts, separator)
}

// ParseCursor decodes a cursor for use in the order o. It returns BadInput, without a path, unless s is
// exactly what String returns for a position in an order by the same columns.
func ParseCursor(s string, o Order) (Cursor, error) {
	parts := strings.SplitN(s, separator, MaxColumns+1)
	if len(parts) > len(o) {
		return nil, otherOrder()
	}
	out := make(Cursor, len(parts))
	for i, part := range parts {
		var err error
		if out[i], err = o[i].parse(part); err != nil {
			return nil, err
		}
		leads, ends := i < len(parts)-1, i < len(o)-1
		if leads && out[i].Num != firstNum || ends && !out[i].anchored() ||
			len(o) > 1 && (out[i].Num < firstNum || out[i].Num > lastNum) {
			return nil, otherOrder()
		}
	}
	return out, nil
}

func otherOrder() error {
	return tracker.Bad("", "the cursor belongs to a grid in the order of other columns; "+
		"leave it out when the order changes")
}

// join returns the leading positions and one more.
func join(leading Cursor, p Position) Cursor { return append(slices.Clip(leading), p) }

// only returns the only position of a cursor, or nil if it has none.
func only(c Cursor) *Position {
	if len(c) == 0 {
		return nil
	}
	return &c[0]
}

// cursor returns the cursor of a position in the order of one column, or nil if p is nil.
func (p *Position) cursor() Cursor {
	if p == nil {
		return nil
	}
	return Cursor{*p}
}
