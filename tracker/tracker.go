// Package tracker defines the types and rules of the product: tenants, projects, custom fields, issues and
// their values, the checks of each, and the errors that the checks return. Start with Issue, Field and Value.
//
// The package does no I/O, imports no other package of this module, and does not depend on DynamoDB or
// GraphQL.
package tracker

import (
	"slices"
	"sync"
	"time"
)

// Tenant owns projects. A tenant never sees the data of another tenant.
type Tenant struct {
	ID   TenantID
	Name string
}

// Project owns issues, and defines their custom fields and states.
type Project struct {
	ID     ProjectID
	Tenant TenantID
	// Key is the short upper-case prefix of the project's issue numbers. It is unique in the tenant.
	Key  string
	Name string
	// States are in the order in which a grid sorts them.
	States []State
	// Version counts the changes to the project and to its field definitions.
	Version int64
	// Deleted reports whether a job is removing the project. Clients do not see a deleted project.
	Deleted bool
}

// State is one of a project's issue states.
type State struct {
	ID   OptionID
	Name string
	// Open reports whether an issue in this state still needs work.
	Open bool
}

// State returns the state with this id, and whether the project has it.
func (p *Project) State(id OptionID) (State, bool) {
	for _, s := range p.States {
		if s.ID == id {
			return s, true
		}
	}
	return State{}, false
}

// StateRank returns the position of a state in the project's order, counted from 0, and whether the project
// has the state.
func (p *Project) StateRank(id OptionID) (int, bool) {
	for i, s := range p.States {
		if s.ID == id {
			return i, true
		}
	}
	return 0, false
}

// FirstState returns the state of new issues: the first open one, or the first if none is open.
func (p *Project) FirstState() OptionID {
	if i := slices.IndexFunc(p.States, func(s State) bool { return s.Open }); i >= 0 {
		return p.States[i].ID
	}
	return p.States[0].ID
}

// Definition is a project with all its custom fields in position order, which is what reading or writing an
// issue requires. Requests share definitions, so they must not be changed.
type Definition struct {
	Project Project
	Fields  []*Field
	// MaxIssueNum is the highest issue number in the project when the definition was read. It serves as an
	// estimate of the number of issues.
	MaxIssueNum int64
	// Read is the time when the definition was read. It is zero for a definition that does not come from the
	// table.
	Read time.Time
	// Jobs are the running jobs and the most recent finished ones, newest first.
	Jobs []Job
	byID map[FieldID]*Field
	// bytes is the approximate memory of the fields.
	bytes int64
	// names returns the Lookalike form of the fields' names, in the order of Fields. It computes them on the
	// first call, because most requests do not need them.
	names func() []string
	// rebuilding reports whether any field is rebuilding, so that documents may be outdated.
	rebuilding bool
}

// NewDefinition returns the definition of a project and its fields, which must be in position order.
func NewDefinition(p Project, fields []*Field) *Definition {
	d := &Definition{Project: p, Fields: fields, byID: make(map[FieldID]*Field, len(fields))}
	d.names = sync.OnceValue(func() []string {
		names := make([]string, len(fields))
		for i, f := range fields {
			names[i] = Lookalike(f.Name)
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

// HasOpenJobs reports whether a job of the project has not ended.
func (d *Definition) HasOpenJobs() bool {
	return slices.ContainsFunc(d.Jobs, func(j Job) bool { return j.Open() })
}

// Bytes returns the approximate memory of the definition in bytes, without Jobs.
func (d *Definition) Bytes() int64 { return projectBytes + d.bytes }

// The estimated memory of a project with its states, of a field, and of an option, in bytes, without their
// strings.
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

// Field returns the definition of a field, or nil if the project has no field with this id.
func (d *Definition) Field(id FieldID) *Field { return d.byID[id] }

// Issue is an issue with all its values. Long texts are references; their bytes are stored outside the
// document.
type Issue struct {
	ID      IssueID
	Num     int64
	Name    string
	State   OptionID
	Created time.Time
	Updated time.Time
	// Version counts the changes to the issue, from 1.
	Version int64
	// Description is a text value, or the zero Value.
	Description Value
	Values      map[FieldID]Value
	// Gens are the generations of the values (Field.Gen). A missing entry means 0.
	Gens map[FieldID]int64
	// Partial reports whether Values and Gens were left unread. A partial issue must not be written.
	Partial bool
	// Indexing reports whether the index may still lack this version. A change that is too large for one
	// transaction writes the document first and the index afterwards.
	Indexing bool
}

// Change is an update of an issue. Nil and missing members leave the issue unchanged.
type Change struct {
	Name  *string
	State *OptionID
	// Description replaces the description; "" removes it.
	Description *string
	// Values are the new values by field; the zero Value removes a value.
	Values map[FieldID]Value
	// Members are changes of the members of sets, by field.
	Members map[FieldID]MemberChange
	// ExpectedVersion, if set, makes the update fail with Conflict when the issue has a different version.
	ExpectedVersion *int64
}

// Trashed is a deleted issue that can be restored.
type Trashed struct {
	Issue *Issue
	At    time.Time
	// By is the user who deleted the issue, or empty if unknown.
	By string
	// Expires is the time when the issue is removed permanently.
	Expires time.Time
}

// Once makes a change idempotent. Key is the client's idempotency key, and Fingerprint identifies the
// change.
type Once struct{ Key, Fingerprint string }

// ChangeKind is the kind of a change to an issue.
type ChangeKind string

// The kinds of changes.
const (
	Created  ChangeKind = "CREATED"
	Updated  ChangeKind = "UPDATED"
	Deleted  ChangeKind = "DELETED"
	Restored ChangeKind = "RESTORED"
)

// Changed is an entry in an issue's history: one change. It is immutable.
type Changed struct {
	// Version is the version of the issue after the change.
	Version int64
	Kind    ChangeKind
	At      time.Time
	// By is the user who made the change, or empty if unknown.
	By string
	// Columns are the columns that the change set, modified or removed, in the order of their names.
	Columns []ChangedColumn
}

// ChangedColumn is the value of a column before and after a change, the zero Value for none. A state is a
// text value that holds the state's id.
type ChangedColumn struct {
	Column        Column
	Before, After Value
}
