//go:build realdata

package e2e

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"
)

// issue is an issue as the API shows it, with all its values.
type issue struct {
	Num                  int
	Name                 string
	Description          *string
	State                struct{ Name string }
	CreatedAt, UpdatedAt string
	Values               []value
}

type value struct {
	Field   struct{ Name string }
	Text    string
	Integer string
	Number  *float64
	Date    string
	Instant string
	Truth   *bool
	Option  struct{ Name string }
	Options []struct{ Name string }
	Tags    []string
	User    string
}

const everything = `query($id: ID!, $after: String) { project(id: $id) { issues(first: 100, after: $after) {
	nodes { num name description state { name } createdAt updatedAt values { field { name }
		... on TextValue { text } ... on LongTextValue { text } ... on IntegerValue { integer } ... on NumberValue { number }
		... on DateValue { date } ... on DateTimeValue { instant: dateTime } ... on BooleanValue { truth: boolean }
		... on SelectValue { option { name } } ... on MultiSelectValue { options { name } } ... on TagsValue { tags } ... on UserValue { user: name } } }
	pageInfo { hasNextPage endCursor } } } }`

// checkCells reads every issue back and compares each cell with the file.
func checkCells(t *testing.T, a *api, file *table, projects map[string]*project) {
	compared := 0
	for key, rows := range file.rows {
		p := projects[key]
		after := any(nil)
		for done := 0; done < len(rows); {
			var got struct {
				Project struct {
					Issues struct {
						Nodes    []issue
						PageInfo struct {
							HasNextPage bool
							EndCursor   string
						}
					}
				}
			}
			a.ask(t, everything, map[string]any{"id": p.ID, "after": after}, &got)
			for _, i := range got.Project.Issues.Nodes {
				compared += checkIssue(t, file, rows[done], i) // the file is also ordered by number
				done++
			}
			info := got.Project.Issues.PageInfo
			if info.HasNextPage != (done < len(rows)) {
				t.Fatalf("%s: hasNextPage is %t after %d of %d", key, info.HasNextPage, done, len(rows))
			}
			after = info.EndCursor
		}
	}
	t.Logf("%d cells compared", compared)
	issues := 0
	for _, rows := range file.rows {
		issues += len(rows)
	}
	if compared < issues*30 {
		t.Errorf("only %d cells were compared", compared)
	}
}

func checkIssue(t *testing.T, file *table, row []string, i issue) (compared int) {
	key := file.cell(row, "issue_key")
	values := map[string]value{}
	for _, v := range i.Values {
		values[v.Field.Name] = v
	}
	for _, c := range file.columns {
		cell := row[c.place]
		var got string
		switch c.To {
		case "num":
			got = strconv.Itoa(i.Num)
		case "name":
			got = i.Name
		case "state":
			got = i.State.Name
		case "createdAt":
			got, cell = instant(t, i.CreatedAt), instant(t, cell)
		case "updatedAt":
			got, cell = instant(t, i.UpdatedAt), instant(t, cell)
		case "description":
			if i.Description != nil {
				got = *i.Description
			}
		case "field":
			v, ok := values[c.Name]
			if ok != (cell != "") {
				t.Fatalf("%s: %s has a value: %t; the cell is %.60q", key, c.Name, ok, cell)
			}
			delete(values, c.Name)
			if ok {
				got, cell = v.cell(t, c), normal(t, c, cell)
			}
		default:
			continue
		}
		if got != cell {
			t.Fatalf("%s, %s: got %.200q, the file has %.200q (%d and %d bytes)", key, c.Column, got, cell,
				len(got), len(cell))
		}
		compared++
	}
	if len(values) > 0 {
		t.Fatalf("%s has values that the file has not: %v", key, values)
	}
	return compared
}

// cell returns the value as the file would contain it, in normal form.
func (v value) cell(t *testing.T, c column) string {
	switch c.Type {
	case "INTEGER":
		return v.Integer
	case "NUMBER":
		return fmt.Sprint(*v.Number)
	case "DATE":
		return v.Date
	case "DATETIME":
		return instant(t, v.Instant)
	case "BOOLEAN":
		return fmt.Sprint(*v.Truth)
	case "SELECT":
		return v.Option.Name
	case "MULTI_SELECT":
		names := make([]string, len(v.Options))
		for i, o := range v.Options {
			names[i] = o.Name
		}
		return set(names)
	case "TAGS":
		return set(v.Tags)
	case "USER":
		return v.User
	}
	return v.Text
}

// normal returns a cell of the file in the form that value.cell returns.
func normal(t *testing.T, c column, cell string) string {
	switch c.Type {
	case "NUMBER":
		f, err := strconv.ParseFloat(cell, 64)
		must(t, err)
		return fmt.Sprint(f)
	case "DATETIME":
		return instant(t, cell)
	case "MULTI_SELECT", "TAGS":
		return set(strings.Split(cell, c.Separator))
	}
	return cell
}

// set returns the members of a set in a fixed order, for comparison.
func set(members []string) string {
	members = slices.Clone(members)
	slices.Sort(members)
	return strings.Join(members, "\x00")
}

// instant normalizes the time formats of the file and of the API.
func instant(t testing.TB, s string) string {
	for _, form := range []string{time.RFC3339Nano, "2006-01-02T15:04:05.000-0700"} {
		if at, err := time.Parse(form, s); err == nil {
			return at.UTC().Format(time.RFC3339Nano)
		}
	}
	t.Fatalf("%q is not a time", s)
	return ""
}
