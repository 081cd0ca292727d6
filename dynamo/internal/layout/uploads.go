package layout

import (
	"fmt"
	"strconv"
	"strings"

	"issuegrid/tracker"
)

// Upload builds the keys of an uploaded file: a partition with a record, and contents in parts.
type Upload struct {
	Keys Keys
	ID   string
}

// UploadQueue is the id of the record with the tenant's queue of imports, the only one that does not expire.
const UploadQueue = "queue"

func (u Upload) partition() string { return u.Keys.pk("upload", u.ID) }

// Record returns the key of what is known about the upload.
func (u Upload) Record() Key { return Key{PK: u.partition(), SK: "*"} }

// Part returns the key of the n-th part of a content, from 0.
func (u Upload) Part(content string, n int) Key {
	return Key{PK: u.partition(), SK: u.Keys.pk("xpart", fmt.Sprintf("%s.%06d", content, n))}
}

// Parts returns the partition of the parts of a content, and how their sort keys begin.
func (u Upload) Parts(content string) (pk, prefix string) {
	return u.partition(), u.Keys.pk("xpart", content+".")
}

// IsPart reports whether a sort key is that of a part.
func (u Upload) IsPart(sk string) bool {
	rest, ok := strings.CutPrefix(sk, u.Keys.pk("xpart", ""))
	content, number, cut := strings.Cut(rest, ".")
	n, err := strconv.Atoi(number)
	return ok && cut && err == nil && n >= 0 && tracker.ValidID(content) && sk == u.Part(content, n).SK
}
