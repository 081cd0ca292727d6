package tracker

import (
	"crypto/sha256"
	"encoding/base32"
	"io"
	"strings"
)

type (
	// TenantID identifies a tenant.
	TenantID string
	// ProjectID identifies a project within its tenant.
	ProjectID string
	// FieldID identifies a custom field within its project.
	FieldID string
	// OptionID identifies an option within its field, or a state within its project. It does not change when
	// the option or state is renamed.
	OptionID string
)

// IssueID identifies an issue within its tenant. It contains the project's id, so that the primary keys of an
// issue and of its values can be built from the IssueID alone.
type IssueID struct {
	Project ProjectID
	Issue   string
}

// MaxID is the maximum length of each part of an id, in bytes.
const MaxID = 32

// ValidID reports whether s is a valid part of an id: 1 to MaxID characters from a-z and 0-9. Ids therefore
// never contain the separators in keys: / . - and ~, which precedes the generation of a field's values.
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

// Valid reports whether id is well formed and is not the name of a built-in column. Index partitions of
// fields and of built-in columns share one namespace.
func (id FieldID) Valid() bool { return ValidID(string(id)) && !Column(id).Builtin() }

// Valid reports whether both parts of id are well formed.
func (id IssueID) Valid() bool { return ValidID(string(id.Project)) && ValidID(id.Issue) }

var idEncoding = base32.NewEncoding("0123456789abcdefghjkmnpqrstvwxyz").WithPadding(base32.NoPadding)

// NewID returns an id of 80 random bits, 16 characters long. random is a source such as crypto/rand.Reader.
func NewID(random io.Reader) (string, error) {
	var b [10]byte
	if _, err := io.ReadFull(random, b[:]); err != nil {
		return "", Internal("no randomness for a new id", err)
	}
	return idEncoding.EncodeToString(b[:]), nil
}

// IDFor returns an id that is a hash of parts: the first 80 bits of a SHA-256, 16 characters long. An import
// that is repeated therefore produces the same ids and keys.
func IDFor(parts ...string) string {
	sum := sha256.Sum256([]byte(strings.Join(parts, "\x00")))
	return idEncoding.EncodeToString(sum[:10])
}
