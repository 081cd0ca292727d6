package layout

import "issuegrid/tracker"

// Guard returns the item of a guard of a tenant's name, a project's key, a field's name, a user's e-mail
// address or claim, or a team's name. owner is the id of the tenant, project, field, user or team.
func Guard(at Key, owner string) Item {
	m := KeyItem(at)
	m["owner"] = S(owner)
	return m
}

// CheckField validates the ids from which keys are built, and the definition of the field.
func CheckField(d *tracker.Definition, f *tracker.Field) error {
	if !f.ID.Valid() {
		return tracker.Bad("id", "the id of a field is 1 to %d characters from a-z and 0-9, and not the "+
			"name of a built-in column; got %q", tracker.MaxID, f.ID)
	}
	seen := make(map[tracker.OptionID]bool, len(f.Options))
	for _, o := range f.Options {
		if !tracker.ValidID(string(o.ID)) || seen[o.ID] {
			return tracker.Bad("options", "the id of an option is 1 to %d characters from a-z and 0-9, and "+
				"unique; got %q", tracker.MaxID, o.ID)
		}
		seen[o.ID] = true
	}
	return d.CheckField(f)
}
