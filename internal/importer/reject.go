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
