package importjob

import (
	"issuegrid/internal/importer"
	"issuegrid/internal/importer/forms"
	"issuegrid/tracker"
)

// Result is the result of an import, as clients receive it.
type Result struct {
	// Summary counts the rows. It is nil if the import has failed before it compared the first one.
	Summary *Summary `json:"summary"`
	// Mapping is the given or the inferred mapping, nil if none could be inferred.
	Mapping *importer.Mapping `json:"mapping"`
	// Reading is how the file was read. It is nil if it could not be.
	Reading *importer.Reading `json:"reading,omitempty"`
	// Columns describe the columns of the file. Only a dry run has them.
	Columns []Column `json:"columns,omitempty"`
	// Problems are the errors that have ended the import, or would end it after a dry run.
	Problems []Problem `json:"problems,omitempty"`
}

// Problem is an error of an import.
type Problem struct {
	Message string       `json:"message"`
	Code    tracker.Code `json:"code"`
	Path    string       `json:"path,omitempty"`
}

// Summary counts rows; see importer.Summary.
type Summary struct {
	Rows      int64 `json:"rows"`
	Added     int64 `json:"added"`
	Changed   int64 `json:"changed"`
	Unchanged int64 `json:"unchanged"`
	Rejected  int64 `json:"rejected"`
	// Blank is the number of rows without content, which are skipped and not in Rows.
	Blank int64 `json:"blank"`
	// Skipped is the number of rows before the header.
	Skipped int64 `json:"skipped"`
	// Cleaned is the number of rows whose names had hidden characters, which were removed.
	Cleaned     int64     `json:"cleaned"`
	Projects    []Project `json:"projects"`
	Definitions []string  `json:"definitions"`
	// Notes are sentences on what was assumed where the mapping says nothing.
	Notes   []string `json:"notes"`
	Reasons []Reason `json:"reasons"`
	// Rejects are the first 20 rejected rows.
	Rejects []Reject `json:"rejects"`
}

// Project counts the rows of a project.
type Project struct {
	Key       string `json:"key"`
	Added     int64  `json:"added"`
	Changed   int64  `json:"changed"`
	Unchanged int64  `json:"unchanged"`
}

// Reason counts rejected rows by column and reason, with what to do about them.
type Reason struct {
	Column string          `json:"column"`
	Reason importer.Reason `json:"reason"`
	Rows   int64           `json:"rows"`
	Remedy string          `json:"remedy,omitempty"`
}

// Reject is a rejected row.
type Reject struct {
	Line   int             `json:"line"`
	Column string          `json:"column"`
	Reason importer.Reason `json:"reason"`
	Detail string          `json:"detail"`
}

// Column describes a column of the file; see importer.ColumnReport.
type Column struct {
	Column  string         `json:"column"`
	Type    string         `json:"type"`
	Decimal string         `json:"decimal,omitempty"`
	Formats []string       `json:"formats,omitempty"`
	Choices []forms.Choice `json:"choices,omitempty"`
	Empty   int64          `json:"empty"`
	Samples []string       `json:"samples"`
	Becomes string         `json:"becomes"`
}

// maxProjects is the maximum number of projects that a result lists. The largest files have more.
const maxProjects = 1000

func summaryOf(s *importer.Summary) *Summary {
	if s == nil {
		return nil
	}
	out := &Summary{Rows: s.Rows, Added: s.Added, Changed: s.Changed, Unchanged: s.Unchanged,
		Rejected: s.Rejected, Blank: s.Blank, Skipped: s.Skipped, Cleaned: s.Cleaned, Projects: []Project{},
		Definitions: []string{}, Notes: append([]string{}, s.Notes...), Reasons: []Reason{},
		Rejects: []Reject{}}
	for _, p := range s.Projects[:min(len(s.Projects), maxProjects)] {
		out.Projects = append(out.Projects, Project{p.Key, p.Added, p.Changed, p.Unchanged})
	}
	out.Definitions = append(out.Definitions, s.Definitions[:min(len(s.Definitions), maxProjects)]...)
	for _, r := range s.Reasons {
		out.Reasons = append(out.Reasons, Reason{r.Column, r.Reason, r.Rows, r.Reason.Remedy()})
	}
	for _, r := range s.Rejects {
		out.Rejects = append(out.Rejects, Reject(r))
	}
	return out
}

func columnsOf(all []importer.ColumnReport) []Column {
	out := make([]Column, len(all))
	for i, c := range all {
		out[i] = Column(c)
		if out[i].Samples == nil {
			out[i].Samples = []string{}
		}
	}
	return out
}

// problemsOf returns an error, or those that it joins, for clients. They do not see the texts of internal
// errors.
func problemsOf(err error) (out []Problem) {
	for _, one := range tracker.AllOf(err) {
		p := Problem{Message: one.Message, Code: one.Code, Path: one.Path}
		if p.Code == tracker.InternalErr {
			p.Message = "internal error"
		}
		out = append(out, p)
	}
	if out == nil && err != nil {
		out = []Problem{{Message: "internal error", Code: tracker.InternalErr}}
	}
	return out
}
