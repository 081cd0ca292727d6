package tracker

import (
	"hash/crc32"
	"slices"
	"strings"
	"time"
	"unicode"

	"github.com/rivo/uniseg"
	"golang.org/x/text/cases"
	"golang.org/x/text/unicode/norm"
)

// UserID identifies a user within its tenant. It does not change when the user is renamed.
type UserID string

// TeamID identifies a team within its tenant. It does not change when the team is renamed.
type TeamID string

// User is a person of a tenant. It can be deactivated, but not deleted, so that its id stays valid.
type User struct {
	ID   UserID
	Name string
	// Former are the names before Name.
	Former FormerNames
	// Email is an e-mail address, unique in the tenant by EmailKey, or empty.
	Email string
	// Initials and Color are what clients show without a picture, and empty if they are derived from the name
	// and the id (ShownInitials, ShownColor).
	Initials, Color string
	// AvatarURL is the address of a picture, or empty.
	AvatarURL string
	// Claim is what the tokens of the user have as their user (Principal.User), unique in the tenant, or
	// empty.
	Claim string
	// Deactivated is when the user was deactivated, so that requests of it are refused; zero if it is active.
	Deactivated time.Time
	// Teams are the teams that the user is a member of.
	Teams []TeamID
	// Version counts the changes to the user and of its teams, from 1.
	Version          int64
	Created, Updated time.Time
}

// Team is a group of users. It can be deactivated, but not deleted, so that its id stays valid.
type Team struct {
	ID          TeamID
	Name        string // unique in the tenant by Lookalike
	Former      FormerNames
	Description string
	Members     []UserID
	// Deactivated is when the team was deactivated; zero if it is active.
	Deactivated time.Time
	// Version counts the changes to the team and its members, from 1.
	Version          int64
	Created, Updated time.Time
}

// FormerNames are the names that a user or a team had before its present one, oldest first, at most
// maxFormerNames. Histories show them.
type FormerNames []FormerName

// FormerName is a name, and when it was replaced.
type FormerName struct {
	Name  string
	Until time.Time
}

const maxFormerNames = 10

// Rename returns the former names after a name was replaced by another one.
func (f FormerNames) Rename(old, name string, at time.Time) FormerNames {
	if old == name {
		return f
	}
	f = append(slices.Clone(f), FormerName{old, at})
	return f[max(0, len(f)-maxFormerNames):]
}

// Names returns the names that the user has and had, and reports whether these are all.
func (u *User) Names() (names []string, all bool) {
	for _, was := range u.Former {
		names = append(names, was.Name)
	}
	return append(names, u.Name), len(u.Former) < maxFormerNames
}

// At returns the name at a time; name is the present one. Of times before those of the kept names, it returns
// the oldest one.
func (f FormerNames) At(at time.Time, name string) string {
	for _, was := range f {
		if at.Before(was.Until) {
			return was.Name
		}
	}
	return name
}

// Profile is what a token says of its user, apart from what identifies it. Each member may be empty.
type Profile struct {
	Name, Email, AvatarURL string
}

// Active reports whether the user can make requests, and can be added to teams.
func (u *User) Active() bool { return u.Deactivated.IsZero() }

// Active reports whether members can be added to the team.
func (t *Team) Active() bool { return t.Deactivated.IsZero() }

// EmailKey returns a form of an e-mail address that is equal for addresses that differ only in case.
func EmailKey(email string) string {
	if isASCII(email) {
		return strings.ToLower(email) // the same result, at a fraction of the cost
	}
	return cases.Fold().String(norm.NFC.String(email))
}

// Check checks a user that replaces old; old is nil for a new one. It reports all that is wrong. Errors are
// BadInput, with paths relative to the user's input. It does not check what must be unique, nor the color.
func (u *User) Check(old *User) error {
	if old == nil {
		old = &User{}
	}
	var wrong []error
	if u.Name != old.Name || u.Name == "" {
		wrong = append(wrong, CheckNewName("name", u.Name))
	}
	if u.Email != old.Email {
		wrong = append(wrong, checkEmail("email", u.Email))
	}
	if u.Initials != old.Initials && u.Initials != "" {
		switch n := uniseg.GraphemeClusterCount(u.Initials); {
		case n > MaxInitials:
			wrong = append(wrong, Bad("initials", "%d characters; the limit is %d", n, MaxInitials))
		case len(u.Initials) > maxInitialsBytes || strings.TrimSpace(u.Initials) == "":
			wrong = append(wrong, Bad("initials", "initials are 1 to %d letters", MaxInitials))
		default:
			wrong = append(wrong, CheckVisible("initials", "the initials", u.Initials))
		}
	}
	if u.AvatarURL != old.AvatarURL {
		wrong = append(wrong, checkAvatar("avatarUrl", u.AvatarURL))
	}
	if u.Claim != old.Claim && u.Claim != "" {
		if err := checkChars("the claim", u.Claim, MaxUser); err != nil {
			wrong = append(wrong, At("claim", err))
		} else {
			wrong = append(wrong, CheckVisible("claim", "the claim", u.Claim))
		}
	}
	return Join(wrong...)
}

// maxInitialsBytes is the maximum length of initials, because a character can consist of many code points.
const maxInitialsBytes = 64

func checkEmail(path, email string) error {
	if email == "" {
		return nil
	}
	if len(email) > MaxEmail {
		return Bad(path, "the address has %d bytes; the limit is %d", len(email), MaxEmail)
	}
	at := strings.LastIndexByte(email, '@')
	if at < 1 || !isHost(email[at+1:]) || strings.ContainsFunc(email[:at], notInEmail) {
		return Bad(path, "not an e-mail address, such as ada@example.com")
	}
	return CheckVisible(path, "the address", email)
}

// notInEmail reports whether r cannot be in the part of an e-mail address before the @.
func notInEmail(r rune) bool {
	return unicode.IsSpace(r) || unicode.IsControl(r) || strings.ContainsRune(`@<>(),;:"[]\`, r)
}

// isHost reports whether s has the form of a domain name: letters, digits and hyphens between dots.
func isHost(s string) bool {
	for label := range strings.SplitSeq(s, ".") {
		if label == "" || label[0] == '-' || strings.ContainsFunc(label, func(r rune) bool {
			return r != '-' && !unicode.IsLetter(r) && !unicode.IsDigit(r)
		}) {
			return false
		}
	}
	return true
}

func checkAvatar(path, address string) error {
	if address == "" {
		return nil
	}
	if len(address) > MaxAvatarURL {
		return Bad(path, "the address has %d bytes; the limit is %d", len(address), MaxAvatarURL)
	}
	rest, ok := strings.CutPrefix(address, "https://")
	end := strings.IndexAny(rest+"/", "/?#:")
	if !ok || !isHost(rest[:end]) ||
		strings.ContainsFunc(address, func(r rune) bool { return r <= ' ' || r >= 0x7f }) {
		return Bad(path, "not the address of a picture: it begins with https:// and is in ASCII")
	}
	return nil
}

// Check checks a team that replaces old; old is nil for a new one. It reports all that is wrong. Errors are
// BadInput, with paths relative to the team's input.
func (t *Team) Check(old *Team) error {
	if old == nil {
		old = &Team{}
	}
	var wrong []error
	if t.Name != old.Name || t.Name == "" {
		wrong = append(wrong, CheckNewName("name", t.Name))
	}
	if t.Description != old.Description && t.Description != "" {
		wrong = append(wrong, At("description", checkChars("the description", t.Description, MaxDescription)))
	}
	return Join(wrong...)
}

// ShownInitials returns the initials of the user: those that were given, or the first letters of the first
// and the last word of the name.
func (u *User) ShownInitials() string {
	if u.Initials != "" {
		return u.Initials
	}
	words := strings.Fields(u.Name)
	if len(words) == 0 {
		return ""
	}
	out := firstLetter(words[0])
	if len(words) > 1 {
		out += firstLetter(words[len(words)-1])
	}
	return strings.ToUpper(out)
}

func firstLetter(word string) string {
	first, _, _, _ := uniseg.FirstGraphemeClusterInString(word, -1)
	return first
}

// userColors are colors on which white text is readable.
var userColors = []string{"#0b5cad", "#1a7f37", "#8250df", "#bf3989", "#9a6700", "#cf222e", "#0f766e",
	"#57606a"}

// ShownColor returns the color of the user: the one that was given, or one that depends on the id only.
func (u *User) ShownColor() string {
	if u.Color != "" {
		return u.Color
	}
	return userColors[crc32.ChecksumIEEE([]byte(u.ID))%uint32(len(userColors))]
}

// NewUser returns the user of a principal that makes its first request.
func (p Principal) NewUser() User {
	u := User{Name: CleanName(p.Profile.Name), Email: p.Profile.Email, AvatarURL: p.Profile.AvatarURL,
		Claim: p.User}
	if CheckNewName("", u.Name) != nil {
		u.Name = CleanName(p.User)
	}
	if checkEmail("", u.Email) != nil {
		u.Email = ""
	}
	if checkAvatar("", u.AvatarURL) != nil {
		u.AvatarURL = ""
	}
	return u
}
