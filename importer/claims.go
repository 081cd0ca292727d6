package importer

import (
	"crypto/sha256"
	"fmt"
	"io"
)

// claims remember which row keys and numbers the rows so far have taken, each with its line. They need some 50 bytes a row, which is
// all of an import that grows with the file.
type claims struct {
	keys map[claim]uint32
	nums map[claim]uint32
}

// claim is the start of a hash of a project's key and what is claimed in it.
type claim [12]byte

func newClaims() *claims { return &claims{keys: map[claim]uint32{}, nums: map[claim]uint32{}} }

func newClaim(project, what string) (c claim) {
	h := sha256.New()
	io.WriteString(h, project)
	h.Write([]byte{0})
	io.WriteString(h, what)
	copy(c[:], h.Sum(nil))
	return c
}

// take gives a row its key and number, or says which row before it has them.
func (c *claims) take(p *plan, r *row) *fault {
	key := newClaim(r.project, r.key)
	if line, ok := c.keys[key]; ok {
		f := &fault{reason: DuplicateKey, detail: fmt.Sprintf("the row of line %d of the same project has the key %s already", line, shown(r.key))}
		if b, ok := p.builtins[ToRowKey]; ok {
			f.in(b)
		}
		return f
	}
	if r.num > 0 {
		num := newClaim(r.project, fmt.Sprint(r.num))
		if line, ok := c.nums[num]; ok {
			f := &fault{reason: DuplicateNum, detail: fmt.Sprintf("the row of line %d of the same project has the number %d already", line, r.num)}
			return f.in(p.builtins[ToNum])
		}
		c.nums[num] = uint32(r.rec.line)
	}
	c.keys[key] = uint32(r.rec.line)
	return nil
}
