// Package tracker holds the words and rules of the product: tenants, projects, custom fields, issues and
// their values, what a valid one is, and the errors that say what is not. Start with Issue, Field and Value.
//
// It does no I/O, imports nothing of this module, and knows neither DynamoDB nor GraphQL.
package tracker

import (
	"sync"
	"time"
)

// Tenant owns projects. Tenants never see each other's data.
type Tenant struct {
	ID   TenantID
	Name string
}

// Project owns issues, and defines the custom fields and states that they use.
type Project struct {
	ID     ProjectID
	Tenant TenantID
	// Key is the short upper-case name that people put before an issue's number, unique in the tenant.
	Key  string
	Name string
	// States are in the order in which a grid sorts them.
	States []State
	// Version counts the changes of the project and of its field definitions.
	Version int64
	// Deleted tells that a job is removing the project. Nobody else sees it.
	Deleted bool
}

// State is one of a project's issue states.
type State struct {
	ID   OptionID
	Name string
	// Open tells whether an issue in this state still needs work.
	Open bool
}

// State returns the project's state with this id.
func (p *Project) State(id OptionID) (State, bool) {
	for _, s := range p.States {
		if s.ID == id {
			return s, true
		}
	}
	return State{}, false
}

// StateRank is the place of a state in the project's order, from 0; false for a state that the project has
// not.
func (p *Project) StateRank(id OptionID) (int, bool) {
	for i, s := range p.States {
		if s.ID == id {
			return i, true
		}
	}
	return 0, false
}

// Definition is a project with all its custom fields, in their position order: what is needed to read or
// write an issue. It is shared between requests and must not be changed.
type Definition struct {
	Project Project
	Fields  []*Field
	// Highest is the highest number that an issue of the project had when this was read: about how many there
	// are, for estimates.
	Highest int64
	// Read is when this was read; zero for a definition that was made by hand.
	Read time.Time
	// Jobs are those that are under way, and the last ones that ended, the newest first.
	Jobs []Job
	byID map[FieldID]*Field
	// bytes is how much memory the definition takes, about.
	bytes int64
	// names are lookalike of the fields' names, in the order of Fields. They are folded when they are first
	// needed, because most requests need none.
	names func() []string
	// rebuilding tells that some field is, so that documents may have to be brought up to date.
	rebuilding bool
}

// NewDefinition joins a project and its fields. The fields must be in position order.
func NewDefinition(p Project, fields []*Field) *Definition {
	d := &Definition{Project: p, Fields: fields, byID: make(map[FieldID]*Field, len(fields))}
	d.names = sync.OnceValue(func() []string {
		names := make([]string, len(fields))
		for i, f := range fields {
			names[i] = lookalike(f.Name)
		}
		return names
	})
	for _, f := range fields {
		d.byID[f.ID] = f
		d.rebuilding = d.rebuilding || f.Rebuilding()
		d.bytes += f.bytes()
	}
	return d
}

// Bytes is how much memory the definition takes, about. Jobs are not in it.
func (d *Definition) Bytes() int64 { return projectBytes + d.bytes }

// What is taken for the memory of a project with its states, of a field, and of an option, beside their
// texts.
const (
	projectBytes = 8 << 10
	fieldBytes   = 400
	optionBytes  = 64
)

func (f *Field) bytes() int64 {
	n := fieldBytes + len(f.Name) + len(f.Description)
	for _, options := range [][]Option{f.Options, f.From.options(), f.Next.options()} {
		for _, o := range options {
			n += optionBytes + len(o.ID) + len(o.Name) + len(o.Color)
		}
	}
	return int64(n)
}

// Field returns the definition of a field, or nil if the project has none with this id.
func (d *Definition) Field(id FieldID) *Field { return d.byID[id] }

// Issue is the document: an issue with all its values, but for the bytes of long texts, of which it holds
// references.
type Issue struct {
	ID      IssueID
	Num     int64
	Name    string
	State   OptionID
	Created time.Time
	Updated time.Time
	// Version counts the changes of the issue, from 1.
	Version int64
	// Description is a text value, or the zero Value.
	Description Value
	Values      map[FieldID]Value
	// Gens are the generations (Field.Gen) of values; 0 where none is given.
	Gens map[FieldID]int64
	// Partial reports that Values and Gens were not read. Such an issue must not be written.
	Partial bool
	// Indexing tells that the index may not have caught up with this version yet: it is written after the
	// document where the change is too large to be written together.
	Indexing bool
}

// Change is what an update of an issue changes. What is nil or missing stays as it is.
type Change struct {
	Name  *string
	State *OptionID
	// Description of "" removes it.
	Description *string
	// Values by field; the zero Value removes one.
	Values map[FieldID]Value
	// ExpectedVersion makes the update a Conflict when the issue has another version.
	ExpectedVersion *int64
}

// Trashed is an issue that was deleted and can be restored.
type Trashed struct {
	Issue *Issue
	At    time.Time
	// By is who deleted it; empty where that is not known.
	By string
	// Expires is when it goes for good.
	Expires time.Time
}

// Once keeps a change from being made twice: Key is what its client calls it, and Print is the same for the
// same change only.
type Once struct{ Key, Print string }

// ChangeKind says what a change made of an issue.
type ChangeKind string

// The kinds of changes.
const (
	Created  ChangeKind = "CREATED"
	Updated  ChangeKind = "UPDATED"
	Deleted  ChangeKind = "DELETED"
	Restored ChangeKind = "RESTORED"
)

// Changed is an entry of an issue's history: one change, as it was made. It never changes.
type Changed struct {
	// Version is the one that the change made.
	Version int64
	Kind    ChangeKind
	At      time.Time
	// By is who made the change; empty where that is not known.
	By string
	// Columns are what an update changed, by the names of the columns.
	Columns []ChangedColumn
}

// ChangedColumn is the value of a column before a change and after it, the zero Value for none. A state is a
// text with its id.
type ChangedColumn struct {
	Column        Column
	Before, After Value
}
