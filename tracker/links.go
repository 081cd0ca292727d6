package tracker

import (
	"strconv"

	"issuegrid/internal/fold"
)

// UserLink says that a name in the values of a USER field is that of a user. UserName is the user's name at
// the time of the link.
type UserLink struct {
	Name     string
	User     UserID
	UserName string
}

// LinkNames makes values of a USER field that are only names refer to users: those with a name that is equal
// in folded form to that of a link, after a job has changed them. The paths of errors begin with "fieldId" or
// "links".
func (f *Field) LinkNames(links []UserLink) error {
	var wrong []error
	if f.Type != TypeUser {
		wrong = append(wrong, Bad("fieldId", "a field of type %s has no users", f.Type))
	}
	if n := len(links); n == 0 || n > MaxUserLinks {
		wrong = append(wrong, Bad("links", "%d names; one call can link 1 to %d", n, MaxUserLinks))
	}
	seen := make(map[string]string, len(links))
	for i, link := range links[:min(len(links), MaxUserLinks)] {
		at := "links[" + strconv.Itoa(i) + "].name"
		if err := checkChars("the name", link.Name, MaxUser); err != nil {
			wrong = append(wrong, At(at, err))
			continue
		}
		folded := fold.String(link.Name)
		switch other, twice := seen[folded]; {
		case !twice:
			seen[folded] = link.Name
		case other == link.Name:
			wrong = append(wrong, Bad(at, "the name %q is given twice", link.Name))
		default:
			wrong = append(wrong, Bad(at, "the names %q and %q are equal but for case and accents", other,
				link.Name))
		}
	}
	if err := Join(wrong...); err != nil {
		return err
	}
	if len(f.Links) > 0 {
		return &Error{Code: Conflict,
			Message: "a job is linking names of the field to users; wait until it has ended"}
	}
	f.Links = links
	return nil
}

// Linked returns the value of a user to which a job that links names changes a value of the field, and false
// if it leaves the value as it is. f may be nil.
func (f *Field) Linked(v Value) (Value, bool) {
	if f == nil || len(f.Links) == 0 || f.Type != TypeUser || v.Kind != KindText || v.User() != "" {
		return Value{}, false
	}
	folded := fold.String(v.Text())
	for _, link := range f.Links {
		if fold.String(link.Name) == folded {
			return UserValue(link.UserName, link.User), true
		}
	}
	return Value{}, false
}
