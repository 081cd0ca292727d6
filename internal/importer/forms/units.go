package forms

// Units are the units of the numbers of a column. They are not stored, so that numbers with different units
// could not be told apart.
type Units struct {
	one   string // the first unit
	more  bool   // there is another one
	plain bool   // a number has none
}

func (u *Units) add(unit string) {
	switch {
	case unit == "":
		u.plain = true
	case u.one == "":
		u.one = unit
	default:
		u.more = u.more || unit != u.one
	}
}

// unequal reports whether there are different units. Spreadsheets omit the currency of some cells, but 45 %
// beside 0.45 is unequal.
func (u *Units) unequal() bool { return u.more || u.one == percent && u.plain }

// Look adds a cell of a column with a decimal separator, if it is a number. isLiteral is as in Numbers.Look.
func (u *Units) Look(s string, isLiteral bool, decimal string) {
	if isLiteral || isDigits(s) {
		u.plain = u.plain || s != ""
	} else if n, ok := Split(s); ok {
		if _, ok := n.Literal(decimal); ok {
			u.add(n.unit)
		}
	}
}

// Refuse returns why a cell is not read, or an empty string: with different units, none is.
func (u *Units) Refuse(s string) string {
	if !u.unequal() {
		return ""
	}
	switch n, ok := Split(s); {
	case !ok || n.unit == "":
		return ""
	case u.more:
		return "has the unit " + n.unit + ", but other numbers of the column have another unit"
	}
	return "has a percent sign, but other numbers of the column have none"
}

const percent = "%"
