// Package forms reads numbers and dates as people write them, and infers from the cells of a column in which
// form they are. Split reads a number, Readings a date; Numbers and Times describe the cells of a column, and
// their Choices are what the cells can be: several if it is not clear. Nothing is guessed, and there is no
// locale.
package forms

import "issuegrid/tracker"

// Choice is what a column of numbers or dates can be. Its members are those of a column of a mapping.
type Choice struct {
	Type    tracker.FieldType `json:"type"`
	Decimal string            `json:"decimal,omitempty"`
	Formats []string          `json:"formats,omitempty"`
	// Cell is a cell of the column, and Value is its value with this choice. It has another value with each
	// choice, if there is such a cell.
	Cell  string `json:"cell,omitempty"`
	Value string `json:"value,omitempty"`
}

// doubt is a cell that has several values.
type doubt struct {
	cell   string
	values []string
}

func (d *doubt) differs() bool { return d.values[0] != d.values[len(d.values)-1] }

// explain adds the cell to choices, if there are several.
func (d *doubt) explain(choices []Choice) []Choice {
	if len(choices) > 1 {
		for i := range choices {
			choices[i].Cell, choices[i].Value = d.cell, d.values[i]
		}
	}
	return choices
}
