package grid

import (
	"encoding/base64"
	"encoding/binary"
	"hash/crc32"

	"issuegrid/sortkey"
	"issuegrid/tracker"
)

// Cursor is a position in the order of a column (G2). It holds no direction and no place of the rows without
// a value, because it means the same in all of them, and no tenant, project or plan: whoever changes one by
// hand reaches another position of a grid that they may read anyway.
type Cursor struct {
	Column tracker.Column
	// HasValue tells the rows with a value in the column from those without one.
	HasValue bool
	// Value is empty without a value, and in the order of the numbers.
	Value sortkey.Value
	Num   int64
	// Issue is the id, within its project, of the row that was at the position.
	Issue string
}

// key is the key of a row, with its position in the order of what yields it.
type key struct {
	id tracker.IssueID
	// ss is the sort string: of the value and the number, or of the number alone.
	ss []byte
	// tail reports whether the row has no value in the column of the order.
	tail bool
}

// Cursor returns the row's position: that of the index entry that it was found by, which need not have caught
// up with the document yet. It is made when asked for, because most clients look at two of a page.
// InternalErr if the index holds a sort string that no value of the column has.
func (r *Row) Cursor() (Cursor, error) { return r.order.cursor(r.place) }

func (o *Order) cursor(k key) (Cursor, error) {
	c := Cursor{Column: o.mark(), HasValue: !k.tail, Issue: k.id.Issue}
	var err error
	if o.byNum() || k.tail {
		c.Num, err = sortkey.ParseNum(k.ss)
	} else {
		c.Value, c.Num, err = sortkey.Split(o.kind, k.ss)
	}
	if err != nil {
		return Cursor{}, tracker.Internal("the index has a sort string of another column", err)
	}
	return c, nil
}

// cursorVersion is the first byte of a cursor. Its format, before the base64url without padding:
//
//	version, 1 if it has a value else 0, column, value, number (varint), issue,
//	CRC-32C of all before (4 bytes, big-endian)
//
// where column, value and issue are each a uvarint length and that many bytes.
const cursorVersion = 1

// maxCursor is more than the longest cursor's text has: a sort value of 960 bytes, two ids, and 20 bytes.
const maxCursor = 1500

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// String returns the cursor's text, which is opaque to clients.
func (c Cursor) String() string {
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

// ParseCursor reads a cursor's text for use in the order o. Everything but the one text that String gives for
// a position in the order of o's column is BadInput, without a path; the checksum is there to refuse what was
// damaged by accident.
func ParseCursor(s string, o Order) (Cursor, error) {
	c, ok := parseCursor(s)
	if !ok {
		return Cursor{}, tracker.Bad("",
			"not a cursor of a grid; give one as pageInfo or an edge returned it, or leave it out for the "+
				"first page")
	}
	if c.Column != o.mark() {
		return Cursor{}, tracker.Bad("",
			"the cursor belongs to a grid in the order of another column; "+
				"leave it out when the order changes")
	}
	if !o.admits(c) {
		return Cursor{}, tracker.Bad("",
			"the cursor has a sort value that its column cannot have; leave it out for the first page")
	}
	return c, nil
}

// admits reports whether c can be a position in the order of o's column.
func (o *Order) admits(c Cursor) bool {
	switch {
	case !c.HasValue:
		return o.hasTail() && len(c.Value) == 0
	case o.byNum():
		return len(c.Value) == 0
	}
	return sortkey.Valid(o.kind, c.Value)
}

// parseCursor reads what String wrote and refuses all else: whatever it makes of a text is a cursor only if
// it prints as that text. This one check is that of the version, the lengths, the checksum, and the one form
// of base64 and of varints.
func parseCursor(s string) (c Cursor, ok bool) {
	if len(s) > maxCursor {
		return Cursor{}, false
	}
	b, err := base64.RawURLEncoding.DecodeString(s)
	if err != nil || len(b) < 2 {
		return Cursor{}, false
	}
	c.HasValue = b[1] == 1
	p := parts(b[2:])
	c.Column = tracker.Column(p.bytes())
	c.Value = p.bytes()
	c.Num = p.varint()
	c.Issue = string(p.bytes())
	return c, tracker.ValidID(c.Issue) && c.String() == s
}

// parts is what is left of a cursor's bytes. A part that is not there is empty, and so are those after it.
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
