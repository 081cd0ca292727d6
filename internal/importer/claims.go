package importer

import (
	"crypto/sha256"
	"fmt"
	"io"
)

// claims records which row keys and numbers previous rows have, with their lines. It takes about 50 bytes per
// row, and is the only part of an import whose memory grows with the file.
type claims struct {
	keys map[claim]uint32
	nums map[claim]uint32
	grow func(bytes int)
}

// claim is the prefix of a hash of a project's key and a row key or number.
type claim [12]byte

// newClaims returns claims without rows. grow is called with the memory that they take.
func newClaims(grow func(bytes int)) *claims {
	return &claims{keys: map[claim]uint32{}, nums: map[claim]uint32{}, grow: grow}
}

func newClaim(project, what string) (c claim) {
	h := sha256.New()
	io.WriteString(h, project)
	h.Write([]byte{0})
	io.WriteString(h, what)
	copy(c[:], h.Sum(nil))
	return c
}

// take records the key and number of a row, or returns a fault if an earlier row has one of them.
func (c *claims) take(p *plan, r *row) *fault {
	key := newClaim(r.project, r.key)
	if line, ok := c.keys[key]; ok {
		if p.mapping.RowKey == contentKey {
			return &fault{reason: DuplicateKey,
				detail: fmt.Sprintf("the row in line %d has the same cells", line)}
		}
		f := &fault{reason: DuplicateKey,
			detail: fmt.Sprintf("the row in line %d of the same project already has the key %s", line,
				shown(r.key))}
		if b, ok := p.builtins[ToRowKey]; ok {
			f.in(b)
		}
		return f
	}
	if r.num > 0 {
		num := newClaim(r.project, fmt.Sprint(r.num))
		if line, ok := c.nums[num]; ok {
			f := &fault{reason: DuplicateNum,
				detail: fmt.Sprintf("the row in line %d of the same project already has the number %d", line,
					r.num)}
			return f.in(p.builtins[ToNum])
		}
		c.nums[num] = uint32(r.rec.line)
		c.grow(claimMemory)
	}
	c.keys[key] = uint32(r.rec.line)
	c.grow(claimMemory)
	return nil
}
