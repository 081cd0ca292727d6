package tracker

import (
	"crypto/sha256"
	"encoding/base32"
	"hash/crc32"
	"io"
	"slices"
	"strconv"
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

// IssueID identifies an issue within its tenant. It contains the project's id and the issue's shard, so that
// the primary keys of an issue and of its values can be built from the IssueID alone.
type IssueID struct {
	Project ProjectID
	// Issue is an id, and in a shard other than the first one, ~ and the shard (Project.IssueID).
	Issue string
}

// MaxID is the maximum length of each part of an id, in bytes.
const MaxID = 32

// ValidID reports whether s is a valid part of an id: 1 to MaxID characters from a-z and 0-9. Ids therefore
// never contain the separators in keys: / . - and ~, which precedes the generation of a field's values, and
// the shard of an issue.
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
func (id IssueID) Valid() bool { return ValidID(string(id.Project)) && ValidIssue(id.Issue) }

// ValidIssue reports whether s is a valid id of an issue within its project.
func ValidIssue(s string) bool {
	id, shard, ok := strings.Cut(s, "~")
	return ValidID(id) && (!ok || validShard(shard))
}

// validShard reports whether s is the number of a shard other than the first one.
func validShard(s string) bool {
	n, err := strconv.Atoi(s)
	return err == nil && n > 0 && n < MaxShards && strconv.Itoa(n) == s
}

// Shard returns the shard of a valid id.
func (id IssueID) Shard() int {
	_, shard, _ := strings.Cut(id.Issue, "~")
	n, _ := strconv.Atoi(shard)
	return n
}

// IssueID returns the id of an issue whose id without the shard is given. The shard is a hash of that, so an
// import that is repeated finds its issues.
func (p *Project) IssueID(id string) IssueID {
	out := IssueID{Project: p.ID, Issue: id}
	if n := p.ShardCount(); n > 1 {
		if shard := int(crc32.ChecksumIEEE([]byte(id)) % uint32(n)); shard > 0 {
			out.Issue += "~" + strconv.Itoa(shard)
		}
	}
	return out
}

const idAlphabet = "0123456789abcdefghjkmnpqrstvwxyz"

var idEncoding = base32.NewEncoding(idAlphabet).WithPadding(base32.NoPadding)

// NewID returns an id of 80 random bits, 16 characters long. random is a source such as crypto/rand.Reader.
func NewID(random io.Reader) (string, error) {
	var b [10]byte
	if _, err := io.ReadFull(random, b[:]); err != nil {
		return "", Internal("no randomness for a new id", err)
	}
	return idEncoding.EncodeToString(b[:]), nil
}

// IDFor returns an id that is a hash of parts: the first 80 bits of a SHA-256, 16 characters long. An import
// that is repeated therefore produces the same issues.
func IDFor(parts ...string) string {
	sum := sha256.Sum256([]byte(strings.Join(parts, "\x00")))
	return idEncoding.EncodeToString(sum[:10])
}

// NewFieldID returns an id for a new field, which no field of the project has or had. The ids of fields are
// in every document, and in the keys of the project's own partition, so they are short: 2 characters for the
// first 1,023 fields. The number of ids is in d.Project, which must be stored with the field.
func (d *Definition) NewFieldID() FieldID {
	for {
		d.Project.FieldIDs++
		id := shortID(d.Project.FieldIDs)
		if id.Valid() && d.Field(id) == nil && !d.HasJobOn(id) {
			return id
		}
	}
}

// HasJobOn reports whether an open job works on a field, such as one that is being deleted.
func (d *Definition) HasJobOn(id FieldID) bool {
	return slices.ContainsFunc(d.Jobs, func(j Job) bool { return j.Open() && j.Field == id })
}

func shortID(n int64) FieldID {
	var b []byte
	for ; n > 0 || len(b) < 2; n /= int64(len(idAlphabet)) {
		b = append(b, idAlphabet[n%int64(len(idAlphabet))])
	}
	slices.Reverse(b)
	return FieldID(b)
}
