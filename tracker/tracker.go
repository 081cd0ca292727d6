// Package tracker defines the types and rules of the product: tenants, projects, custom fields, issues and
// their values, the checks of each, and the errors that the checks return. Start with Issue, Field and Value.
//
// The package does no I/O, imports only the package fold of this module, and does not depend on DynamoDB or
// GraphQL.
package tracker

import (
	"cmp"
	"maps"
	"slices"
	"strconv"
	"sync"
	"time"
)

// Tenant owns projects. A tenant never sees the data of another tenant.
type Tenant struct {
	ID   TenantID
	Name string
	// Deleted is when the tenant was deleted. It then exists for background jobs only. It is zero for other
	// tenants.
	Deleted time.Time
	// Removed reports whether the jobs have removed all items of a deleted tenant but its own, which has no
	// name any more and keeps the id from being used again.
	Removed bool
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
	// Version counts the changes to the project and to its field definitions, and the steps of its jobs.
	Version int64
	// Changes counts the changes alone, after the creation.
	Changes int64
	// Created is when the project was created; zero if an earlier version of the program did so. Of projects
	// that have the same id, one after the other, each has another time.
	Created time.Time
	// FieldIDs is the number of ids that were given to fields (Definition.NewFieldID).
	FieldIDs int64
	// Shards is the number of index partitions over which the keys of each column are spread; 0 is 1. It does
	// not change once the project has been created.
	Shards int
	// RowKeys are the names of the columns that identified the rows of imports. In a file without a mapping,
	// the first of them that it has is the row key.
	RowKeys []string
	// Trash is set for a project in the trash.
	Trash *ProjectTrash
	// Deleted reports whether a job is removing the project.
	Deleted bool

	// Empties is the method by which the rows without a user are found in the columns of users.
	Empties Empties

	// Rebuild is that of the states.
	Rebuild
}

// ProjectTrash describes the deletion of a project that can be restored.
type ProjectTrash struct {
	At time.Time
	// By is what deleted the project.
	By Actor
	// Purge is the time from which on the project cannot be restored, and a job removes it.
	Purge time.Time
}

// MaxShards is the maximum number of shards of a project.
const MaxShards = 16

// ShardCount returns the number of shards, at least 1.
func (p *Project) ShardCount() int { return max(p.Shards, 1) }

// Hidden reports whether clients do not see the project, because it is in the trash or being removed.
func (p *Project) Hidden() bool { return p.Trash != nil || p.Deleted }

// State is one of a project's issue states.
type State struct {
	ID   OptionID
	Name string
	// Open reports whether an issue in this state still needs work.
	Open bool
	// Color is a CSS color such as #1f883d, or empty.
	Color string
}

// State returns the state with this id, and whether the project has it.
func (p *Project) State(id OptionID) (State, bool) {
	if rank, ok := p.StateRank(id); ok {
		return p.States[rank], true
	}
	return State{}, false
}

// StateRank returns the position of a state in the project's order, counted from 0, and whether the project
// has the state.
func (p *Project) StateRank(id OptionID) (int, bool) {
	i := slices.IndexFunc(p.States, func(s State) bool { return s.ID == id })
	return max(i, 0), i >= 0
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
	// names returns the NameKeys of the fields, in the order of Fields. It computes them on the first call,
	// because most requests do not need them.
	names func() []string
	// rebuilding reports whether the states or any field are being rebuilt, so that documents may be
	// outdated.
	rebuilding bool
}

// NewDefinition returns the definition of a project and its fields, which must be in position order.
func NewDefinition(p Project, fields []*Field) *Definition {
	d := &Definition{Project: p, Fields: fields, byID: make(map[FieldID]*Field, len(fields))}
	d.names = sync.OnceValue(func() []string {
		names := make([]string, len(fields))
		for i, f := range fields {
			names[i] = NameKey(f.Name)
		}
		return names
	})
	d.rebuilding = p.Rebuilding()
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

// Job returns the job with an id, or nil if the definition does not list it.
func (d *Definition) Job(id string) *Job {
	for i := range d.Jobs {
		if d.Jobs[i].ID == id {
			return &d.Jobs[i]
		}
	}
	return nil
}

// valueJobs are the kinds of jobs that change values of a field.
var valueJobs = []JobKind{JobMergeOptions, JobChangeType, JobDeleteField, JobLinkNames}

// JobsOf returns the open jobs that replace, convert or remove values of a column.
func (d *Definition) JobsOf(c Column) (jobs []*Job) {
	for i := range d.Jobs {
		j := &d.Jobs[i]
		switch {
		case !j.Open():
		case j.Kind == JobMergeStates && c == ColumnState,
			slices.Contains(valueJobs, j.Kind) && j.Field == c.Field():
			jobs = append(jobs, j)
		}
	}
	return jobs
}

// Deleting reports whether a job is removing the values of a deleted field.
func (d *Definition) Deleting(id FieldID) bool {
	return slices.ContainsFunc(d.Jobs, func(j Job) bool {
		return j.Open() && j.Kind == JobDeleteField && j.Field == id
	})
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
	n := fieldBytes + len(f.Name) + len(f.Description) + len(f.Column)
	for id, name := range f.Former {
		n += optionBytes + len(id) + len(name)
	}
	for _, link := range f.Links {
		n += optionBytes + len(link.Name) + len(link.User) + len(link.UserName)
	}
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
	// CreatedBy and UpdatedBy are the users that created and last changed the issue. They are empty if the
	// server does not authenticate users, and after an import.
	CreatedBy, UpdatedBy string
	// Assignees and Watchers are the participants in these roles, in the order in which they were added, each
	// once. Author is the user that created the issue, and Editor the one that last changed it; empty if
	// there is none in the tenant.
	Assignees, Watchers []Participant
	Author, Editor      UserID
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

// Value returns the value of a column that changes can set, or of one with a user; the zero Value for nil.
// That of the state is its id.
func (i *Issue) Value(c Column) Value {
	if i == nil {
		return Value{}
	}
	switch c {
	case ColumnName:
		return Text(i.Name)
	case ColumnState:
		return Text(string(i.State))
	case ColumnDescription:
		return i.Description
	case ColumnCreatedBy:
		return Text(i.CreatedBy)
	case ColumnUpdatedBy:
		return Text(i.UpdatedBy)
	}
	if role, ok := c.Role(); ok {
		return participantSet(i.Participants(role))
	}
	return i.Values[c.Field()]
}

// IssueKey returns the key of the issue with a number, such as FLEET-12.
func (p *Project) IssueKey(num int64) string { return p.Key + "-" + strconv.FormatInt(num, 10) }

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
	// Assignees and Watchers are changes of the participants.
	Assignees, Watchers ParticipantChange
	// ExpectedVersion, if set, makes the update fail with Conflict when the issue has a different version.
	ExpectedVersion *int64
}

// Trashed is a deleted issue that can be restored.
type Trashed struct {
	Issue *Issue
	At    time.Time
	// By is what deleted the issue.
	By Actor
	// Expires is the time when the issue is removed permanently.
	Expires time.Time
}

// VersionConflict describes an issue that does not have the version that a change is based on.
type VersionConflict struct {
	// Issue is the issue as it is now, or as it was when it was moved to the trash.
	Issue *Issue
	// Definition is a definition of its project. Last, BaseKnown and Columns are only set if it is not nil.
	Definition *Definition
	// Last is the change that created the current version. Without a history, it has only the version and
	// the time.
	Last Changed
	// BaseKnown reports whether the history has all changes after the version that the change is based on.
	BaseKnown bool
	// Columns are the columns that the change names, or the changed ones if it names none: their values in
	// the version that the change is based on, if it is known, and in the current one.
	Columns []ChangedColumn
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
	// By is what made the change.
	By Actor
	// Columns are the columns that the change set, modified or removed, in the order of their names.
	Columns []ChangedColumn
}

// ChangedColumn is the value of a column before and after a change, the zero Value for none. A state is a
// text value that holds the state's id.
type ChangedColumn struct {
	Column        Column
	Before, After Value
	Words         Words
}

// Words are what a column and its choices were called when its value was changed.
type Words struct {
	// Name is the name of a custom field, "" for a built-in column or if it is not known.
	Name string
	// Choices are the names of the states or options of the values. Those that are not known are missing.
	Choices map[OptionID]string
}

// And returns the words of both; those of more come before those of w.
func (w Words) And(more Words) Words {
	choices := maps.Clone(w.Choices)
	if choices == nil {
		choices = map[OptionID]string{}
	}
	maps.Copy(choices, more.Choices)
	return Words{Name: cmp.Or(more.Name, w.Name), Choices: choices}
}

// Words returns what a column and the choices of its values are called.
func (d *Definition) Words(c Column, values ...Value) Words {
	w, name := d.words(c)
	if name == nil {
		return w
	}
	for _, v := range values {
		ids := v.Set()
		if v.Kind == KindText {
			ids = []string{v.Text()}
		}
		for _, id := range ids {
			if of, ok := name(OptionID(id)); ok {
				if w.Choices == nil {
					w.Choices = map[OptionID]string{}
				}
				w.Choices[OptionID(id)] = of
			}
		}
	}
	return w
}

// words returns the name of a column, and a function that returns those of its choices, which is nil if it
// has none. A job may not have replaced all values of former choices, or those of a deleted field, yet.
func (d *Definition) words(c Column) (Words, func(OptionID) (string, bool)) {
	if p := &d.Project; c == ColumnState {
		return Words{}, func(id OptionID) (string, bool) { return nameOf(id, p.Former, p.States) }
	}
	if c.Builtin() {
		return Words{}, nil
	}
	f := d.Field(c.Field())
	if f == nil {
		for _, j := range d.JobsOf(c) {
			if j.Kind == JobDeleteField {
				return Words{Name: j.Name}, func(id OptionID) (string, bool) {
					return nameOf(id, nil, j.Options)
				}
			}
		}
		return Words{}, nil
	}
	if !f.Type.HasOptions() && f.From == nil {
		return Words{Name: f.Name}, nil
	}
	return Words{Name: f.Name}, func(id OptionID) (string, bool) {
		return nameOf(id, f.Former, f.Options, f.From.options())
	}
}
