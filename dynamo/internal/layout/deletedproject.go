package layout

import (
	"time"

	"issuegrid/internal/sortkey"
	"issuegrid/tracker"
)

// DeletedProjects returns the index partition of a tenant's projects in the trash.
func DeletedProjects(k Keys) string { return k.pk("xdeleted", string(k.Tenant)) }

// DeletedProject returns the key of the item that lists a project in the trash.
func DeletedProject(k Keys, p tracker.ProjectID) Key {
	return Key{PK: k.Project(p), SK: DeletedProjects(k)}
}

// EncodeDeletedProject returns the item that lists a project in the trash. All else is in the project's item.
func EncodeDeletedProject(k Keys, p *tracker.Project) Item {
	m := KeyItem(DeletedProject(k, p.ID))
	m[AttrSS] = B(DeletedProjectSort(p.Trash.Purge, p.ID))
	return m
}

// DeletedProjectSort returns the sort string of a project in the trash. Those that are kept longest, the last
// deleted, sort first. The position of a time with an empty id is before all projects of that time.
func DeletedProjectSort(purge time.Time, p tracker.ProjectID) []byte {
	return sortkey.WithID(sortkey.Int(-purge.UnixMicro()), string(p))
}
