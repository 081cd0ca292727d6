package tracker

import (
	"crypto/sha256"
	"encoding/base32"
	"io"
	"strings"
)

type (
	// TenantID names a tenant.
	TenantID string
	// ProjectID names a project within its tenant.
	ProjectID string
	// FieldID names a custom field within its project.
	FieldID string
	// OptionID names an option of a select field, or a state, within its field or project. It survives
	// renaming.
	OptionID string
)

// IssueID names an issue within its tenant. It carries its project, so that the primary key of an issue and
// of each of its values can be built from the id alone.
type IssueID struct {
	Project ProjectID
	Issue   string
}

// MaxID is the greatest length of any one part of an id, in bytes.
const MaxID = 32

// ValidID reports whether s is a valid part of an id: 1 to MaxID of the characters a-z and 0-9. The
// separators of keys (/ . - and ~, which precedes the generation of a field's values) therefore never occur
// in one.
func ValidID(s string) bool {
	if s == "" || len(s) > MaxID {
		return false
	}
	for i := range len(s) {
		if c := s[i]; (c < 'a' || c > 'z') && (c < '0' || c > '9') {
			return false
		}
	}
	return true
}

// Valid reports whether id is well formed and is not the name of a built-in column, whose index partitions
// are named in the same way.
func (id FieldID) Valid() bool { return ValidID(string(id)) && !Column(id).Builtin() }

// Valid reports whether both parts of id are well formed.
func (id IssueID) Valid() bool { return ValidID(string(id.Project)) && ValidID(id.Issue) }

var idEncoding = base32.NewEncoding("0123456789abcdefghjkmnpqrstvwxyz").WithPadding(base32.NoPadding)

// NewID makes an id of 80 random bits, 16 characters long, from a source of randomness such as
// crypto/rand.Reader.
func NewID(random io.Reader) (string, error) {
	var b [10]byte
	if _, err := io.ReadFull(random, b[:]); err != nil {
		return "", Internal("no randomness for a new id", err)
	}
	return idEncoding.EncodeToString(b[:]), nil
}

// IDFor makes the same id from the same parts every time: what is imported twice gets the same ids, and so
// the same keys. 80 bits of a SHA-256, 16 characters.
func IDFor(parts ...string) string {
	sum := sha256.Sum256([]byte(strings.Join(parts, "\x00")))
	return idEncoding.EncodeToString(sum[:10])
}
