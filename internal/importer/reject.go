package importer

// Reason is why a row was rejected, in the words by which rejects are counted.
type Reason string

// The reasons.
const (
	Ragged       Reason = "wrong number of cells"
	Quotes       Reason = "broken quotes"
	BadJSON      Reason = "broken JSON"
	NotUTF8      Reason = "not UTF-8"
	TooLong      Reason = "too long"
	NotInteger   Reason = "not an integer"
	NotNumber    Reason = "not a number"
	OutOfRange   Reason = "out of range"
	NotDate      Reason = "not a date"
	NotDateTime  Reason = "not a datetime"
	NotBoolean   Reason = "not a boolean"
	UnknownName  Reason = "not an option"
	UnknownState Reason = "not a state"
	CaseDiffers  Reason = "differs in case only"
	BadName      Reason = "not a name"
	BadValue     Reason = "not a value of the field"
	NoProject    Reason = "no project"
	BadProject   Reason = "not a project key"
	NoRowKey     Reason = "no row key"
	DuplicateKey Reason = "row key given twice"
	DuplicateNum Reason = "number given twice"
	NumTaken     Reason = "number taken"
	NumDiffers   Reason = "another number"
	TooLarge     Reason = "too large"
)

// remedies say what to do about many rows that are rejected for the same reason, in the words of a mapping
// and of the settings of an import.
var remedies = map[Reason]string{
	Ragged:       `if the file was read wrongly, set "delimiter" or "header" in the mapping`,
	Quotes:       `if the file was read wrongly, set "delimiter" in the mapping`,
	NotUTF8:      `set "encoding" in the mapping`,
	NotInteger:   `set "decimal" for the column in the mapping; a new field can have another type`,
	NotNumber:    `set "decimal" for the column in the mapping; a new field can have another type`,
	NotDate:      `set "formats" for the column in the mapping; a new field can have another type`,
	NotDateTime:  `set "formats" for the column in the mapping; a new field can have another type`,
	NotBoolean:   `set "true" and "false" for the column in the mapping; a new field can have another type`,
	UnknownName:  "newOptions adds those that are missing",
	UnknownState: "newOptions adds those that are missing",
	CaseDiffers:  `set "ignoreCase" for the column in the mapping`,
	NoRowKey:     `give these rows a key, or, for a first import, make another column the row key`,
	DuplicateKey: `give these rows other keys; for a first import, another column can be the row key`,
	DuplicateNum: "give these rows other numbers, or do not import the column as the number",
	NumTaken: "if the issues exist, make the column that identified their rows the row key; otherwise do " +
		"not import the column as the number",
}

// Remedy is what to do about many rows that are rejected for the reason, or empty.
func (r Reason) Remedy() string { return remedies[r] }

// Reject is a rejected row and why it was rejected.
type Reject struct {
	// Line is the line in the file at which the row begins, from 1.
	Line int
	// Column is the name of the invalid column, or empty for the row as a whole.
	Column string
	Reason Reason
	// Detail describes the fault of this row in a sentence.
	Detail string
}

func rejected(rec *record, f *fault) *Reject {
	return &Reject{Line: rec.line, Column: f.column, Reason: f.reason, Detail: f.detail}
}
