//go:build realdata

package e2e

import (
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
)

// nastyCell is a cell that a careless reader or writer changes, and what docs/import.md says of it.
type nastyCell struct {
	text string
	// want is the value in an export, with line ends between the members of a set. It is not used if the
	// import must reject the row, or if the value is not known.
	want    string
	unknown bool
}

// piece is a part of a text, and what remains of it in the name of an issue.
type piece struct{ text, name string }

// kept are pieces that names keep, too.
var kept = []string{`"`, `""`, `"a"`, "'", ",", ";", "|", "; ", `\`, `\n`, `\u0041`, `\"`, "%00", "<b>&amp;",
	"{}", "[]", `["a"]`, `{"a":1}`, "#REF!", "=1+1", "@x", "+x", "-x", `=HYPERLINK("http://x.test";"y")`, "-",
	"- -1", "sep=;", "\U0001F469\u200D\U0001F469\u200D\U0001F467\u200D\U0001F466",
	"\U0001F3F3\uFE0F\u200D\U0001F308",
	"\U0001F3F4\U000E0067\U000E0062\U000E0065\U000E006E\U000E0067\U000E007F", "\U0001F1E9\U0001F1EA",
	"\U0001F44D\U0001F3FD", "1\uFE0F\u20E3", "\u2764\uFE0F", "\u00e9", "e\u0301", "e\u0323\u0301",
	"e\u0301\u0323", "\u212b", "\u00c5", "A\u030a", "\uac01", "\u1100\u1161\u11a8", "\u30d0\u30b9",
	"\u30cf\u3099\u30b9", "\u0645\u06cc\u200c\u062e\u0648\u0627\u0647\u0645", "\u05e9\u05dc\u05d5\u05dd",
	"\u0e01\u0e49", "\u00df", "\ufb01", "\u0130", "\u0131", "\uff11\uff12\uff13", "\u0663\u0664", "\u216b",
	"\u00b2", "\u00bd", "\u22125", "1.0", "1.10", "007", "00", "1,234.50 \u20ac", "1.234,50",
	"$1,000.00", "12 kg", "45 %", "1e3", "0x1F", "(5)", "+49 301 234", "1.2.3", "v2.0.0-rc.1", "03/04/2026",
	"04/03/2026", "3.4.26", "2026-04-03", "20260403", "Apr 3, 2026", "2026-04-03T10:20:30.1234567+02:00",
	"24:00", "yes", "no", "Ja", "nein", "TRUE", "on", "x", "null", "NULL", "N/A", "NaN", "nil", "undefined",
	"None", "\ufffd", "\ue000", "\U0010fffd", "\u2800"}

// spaces are kept in texts, and at the ends of a name they are removed. changed are those that names cannot
// have, and what they become.
var (
	spaces = []string{" ", "  ", "\u00a0", "\u1680", "\u2003", "\u2009", "\u202f", "\u205f", "\u3000"}

	changed = []piece{{"\t", " "}, {"\n", " "}, {"\r", " "}, {"\r\n", " "}, {"\n\r", "  "}, {"\v", " "},
		{"\f", " "}, {"\u0085", " "}, {"\u2028", " "}, {"\u2029", " "}, {"\x00", ""}, {"\x01", ""},
		{"\x08", ""}, {"\x1a", ""}, {"\x1b[0m", "[0m"}, {"\x1f", ""}, {"\x7f", ""}, {"\u009f", ""},
		{"\u200b", ""}, {"\u2060", ""}, {"\u00ad", ""}, {"\ufeff", ""}, {"\ufffe", ""}, {"\uffff", ""},
		{"\u200e", ""}, {"\u200f", ""}, {"\u061c", ""}, {"\u202e", ""}, {"\u2066", ""}, {"\u2069", ""},
		{"\u115f", ""}, {"\u3164", ""}, {"\U000E0067", ""}}

	// wholes are whole cells. A name does not begin or end with a character that acts on another one.
	wholes = []piece{{"", ""}, {" \t\u3000\r\n", ""}, {"\u200b", ""}, {"\ufeff", ""}, {"\ufeffx", "x"},
		{"\u200d", ""}, {"\ufe0f", ""}, {"x\u200d", "x"}, {"\u200dx", "x"}, {"\ufe0fx", "x"},
		{"\U0001F3F4\U000E0067\U000E0062", "\U0001F3F4"}}
)

// pieces are all pieces, in a fixed order.
func pieces() []piece {
	var out []piece
	for _, s := range slices.Concat(kept, spaces) {
		out = append(out, piece{s, s})
	}
	return append(out, changed...)
}

// texts returns cells of which a TEXT, a LONG_TEXT and a description keep all bytes. Each piece is at the
// beginning, at the end, or inside of a cell. as is what the wanted value is of a piece.
func texts(rng *rand.Rand, as func(piece) string) (out []nastyCell) {
	all := pieces()
	for _, p := range wholes {
		out = append(out, nastyCell{text: p.text, want: as(p)})
	}
	for i, p := range all {
		parts := []piece{p}
		for range rng.IntN(4) {
			parts = append(parts, all[rng.IntN(len(all))])
		}
		rng.Shuffle(len(parts), func(i, j int) { parts[i], parts[j] = parts[j], parts[i] })
		var c nastyCell
		for k, p := range parts {
			if word := "w" + strconv.Itoa(i); k > 0 ||
				rng.IntN(2) == 0 { // so that two pieces do not become one
				c.text, c.want = c.text+word, c.want+word
			}
			c.text, c.want = c.text+p.text, c.want+as(p)
		}
		out = append(out, c)
	}
	return out
}

func unchanged(p piece) string { return p.text }

// long returns a text of a number of bytes made of all pieces, without half a character.
func long(bytes int) nastyCell {
	var b strings.Builder
	for all, i := pieces(), 0; ; i++ {
		p := "w" + all[i%len(all)].text
		if b.Len()+len(p) > bytes {
			break
		}
		b.WriteString(p)
	}
	b.WriteString(strings.Repeat("x", bytes-b.Len()))
	return nastyCell{text: b.String(), want: b.String()}
}

// longs are longer than what a document holds of a text, than a page of a disk, and than 100 KiB.
func longs() (out []nastyCell) {
	for _, n := range []int{255, 256, 257, 1023, 1025, 4097, 100<<10 + 1, 130_001} {
		out = append(out, long(n))
	}
	return out
}

// names are cells of names of issues.
func names(rng *rand.Rand) []nastyCell {
	out := texts(rng, func(p piece) string { return p.name })
	for i := range out {
		out[i].want = strings.TrimSpace(out[i].want)
	}
	return append(out, keeps(strings.Repeat("x", 1000), strings.Repeat("\u00e9", 500))...)
}

// keeps are cells whose value is the cell, reads those with another value, and refuses those whose row must
// be rejected.
func keeps(all ...string) (out []nastyCell) {
	for _, s := range all {
		out = append(out, nastyCell{text: s, want: s})
	}
	return out
}

func reads(pairs ...string) (out []nastyCell) {
	for i := 0; i < len(pairs); i += 2 {
		out = append(out, nastyCell{text: pairs[i], want: pairs[i+1]})
	}
	return out
}

func refuses(all ...string) (out []nastyCell) {
	for _, s := range all {
		out = append(out, nastyCell{text: s})
	}
	return out
}

// noUTF8 are cells that are not UTF-8.
var noUTF8 = []string{"a\xffb", "\xc3", "\xed\xa0\x80", "\xf4\x90\x80\x80", "\xc0\xaf"}

// words are no number, no date, no Boolean and no option.
var words = []string{"null", "NULL", "N/A", "NaN", "maybe", "=1+1", "@x", "-", "\ufeff1", "1\u200b", "1\x002",
	"\u0663", "\uff11", "\u00bd", "1,5", "1.234,50", "$12", "12 kg", "45 %", "0x10", "1_000", "1 2",
	"\u22125", "--5", "5-", "03/04/2026", "3.4.26", "Apr 3, 2026", "2026-4-3", "2026-13-01", "2023-02-29",
	"0000-01-01", "10000-01-01", "\uff12\uff10\uff12\uff16-04-03", "2026-04-03\u200b", "2026\u201304\u201303",
	"today", "\U0001F44D"}

// nasty returns cells for a column: those that an import takes, and those whose row it rejects.
func (c column) nasty(rng *rand.Rand) (good, bad []nastyCell) {
	switch kind := c.To + c.Type; kind {
	case "name":
		return names(rng), refuses(strings.Repeat("\u00e9", 1001), strings.Repeat("x", 5000))
	case "description", "fieldTEXT", "fieldLONG_TEXT":
		return append(append(texts(rng, unchanged), longs()...), keeps(words...)...), nil
	case "projectKey":
		return nil, refuses("aloy", " ALOY", "ALOY ", "ALOY\u200b", "\uff21\uff2c\uff2f\uff39", "=1+1", "A-B",
			"1A", "ALOYALOYALO")
	case "projectName":
		return nil, refuses("a\tb", "a\u200bb", "\u202ex", "x\u200d", strings.Repeat("x", 256))
	case "rowKey":
		return nil, refuses("", " ", "\t\u3000\r\n")
	case "num":
		return nil, refuses(append([]string{"0", "-1", "1.5", "1e2", "1073741825", "9223372036854775808"},
			words...)...)
	case "state":
		good, bad = options("Open", "Closed")
		return append(good, reads("", "Open", " \u3000", "Open")...), bad
	case "createdAt", "updatedAt":
		good, bad = times()
		return append(good, nastyCell{text: "", unknown: true}, nastyCell{text: " ", unknown: true}), bad
	case "fieldDATETIME":
		good, bad = times()
		return append(good, empty...), bad
	case "fieldDATE":
		return append(reads(" 2026-04-03\n", "2026-04-03", "0001-01-01", "0001-01-01", "9999-12-31",
				"9999-12-31", "\u00a02024-02-29\u3000", "2024-02-29"), empty...),
			refuses(append([]string{"20260403", "2026-04-03T00:00:00Z", "2026-04-03 10:20", "7"},
				words...)...)
	case "fieldINTEGER":
		return append(reads(" 5 ", "5", "007", "7", "+5", "5", "3.0", "3", "\u00a0-12\u3000", "-12",
				"\t5\r\n", "5", "9223372036854775807", "9223372036854775807", "-9223372036854775808",
				"-9223372036854775808"), empty...),
			refuses(append([]string{"9223372036854775808", "1e3", "3.5", "1.234", "1.000"}, words...)...)
	case "fieldNUMBER":
		return append(reads("1e-3", "0.001", " 1.50 ", "1.5", "-12.5", "-12.5", "+7", "7", "1E2", "100",
				"007.10", "7.1", "-12345678901234e-3", "-12345678901.234"), empty...),
			refuses(append([]string{"0.12345678901234567890123", "1e400", "1e-400", "Inf", "1.2.3", "0x1p-2",
				"1e"}, words...)...)
	case "fieldBOOLEAN":
		return append(reads("yes", "true", "NO", "false", " Ja ", "true", "nein\n", "false", "1", "true", "0",
				"false", "x", "true", "on", "true", "off", "false", "TRUE", "true", "non", "false", "\u2713",
				"true"), empty...),
			refuses(append([]string{"2", "-1", "yesno", "yes.", "\uff59\uff45\uff53", "t\u200brue", "y e s"},
				words...)...)
	case "fieldUSER":
		good, bad = plain(200)
		return append(good, empty...), bad
	case "fieldSELECT":
		if c.Options != nil {
			good, bad = options(c.Options[len(c.Options)-1], c.Options[0])
		} else {
			good, bad = plain(255)
			same, differ := spellings()
			good, bad = append(good, same...), append(bad, differ...)
		}
		return append(good, empty...), bad
	case "fieldMULTI_SELECT":
		good, bad = plain(255)
		same, differ := spellings()
		return slices.Concat(good, same, empty, reads("; ; a; b", "a\nb", "=1+1; ", "=1+1", "b; a;c ; d",
				"b\na;c\nd")),
			slices.Concat(bad, differ, refuses("a; a", "a; a ", "a;  ; b", "a; b\tc"))
	case "fieldTAGS":
		good = slices.Concat(empty, tags(), keeps(strings.Repeat("\u00e9", 100)),
			reads("~a~~b~", "a\nb", "=1+1~@x~-x", "=1+1\n@x\n-x", "\u00e9~e\u0301", "\u00e9\ne\u0301",
				`a,b~"c"~d|e`, "a,b\n\"c\"\nd|e", "\u00a0a\u00a0~\u3000b", "\u00a0a\u00a0\n\u3000b",
				"null~N/A~007~1.10~TRUE", "null\nN/A\n007\n1.10\nTRUE", "A~a~\uff21", "A\na\n\uff21"))
		bad = append(hidden("", ""), refuses(strings.Repeat("x", 101), "a\tb", "a~\r\n", "a~\u3000~b", "a~a",
			strings.Join(numbers(101), "~"))...)
		for _, cells := range [][]nastyCell{good, bad} {
			for i := range cells {
				cells[i].text = strings.ReplaceAll(cells[i].text, "~", c.Separator)
			}
		}
		return good, bad
	}
	panic("no cells for " + c.Column)
}

// tags are cells with one tag.
func tags() (out []nastyCell) {
	for _, s := range kept {
		if !strings.Contains(s, " ") && s != "\u2800" {
			out = append(out, keeps(s)...)
		}
	}
	return out
}

func numbers(n int) (out []string) {
	for i := range n {
		out = append(out, strconv.Itoa(i))
	}
	return out
}

// empty are cells without a value, but for texts.
var empty = reads("", "", " ", "", "\t\u00a0\u3000\r\n", "")

// hidden are names with a character that names must not have.
func hidden(before, after string) (out []nastyCell) {
	for _, p := range changed {
		out = append(out, refuses(before+"a"+p.text+"b"+after)...)
	}
	return append(out, refuses("\ufe0fx"+after, before+"x\u200d")...)
}

// options are cells of a column whose options, of which there are two here, the mapping lists.
func options(one, other string) (good, bad []nastyCell) {
	return reads(" "+one+"\t", one, "\u00a0"+other+"\u3000\r\n", other, one, one),
		append(refuses(strings.ToUpper(one), strings.ToLower(other), one+"\u0301", one+"\u200b",
			one+"; "+other, `"`+one+`"`, "="+one, one+"\x00", one+"\u200d"), refuses(words...)...)
}

// plain are cells of names of up to a number of characters that the import adds: options and users.
func plain(most int) (good, bad []nastyCell) {
	for _, s := range kept {
		if s == "\u2800" {
			continue // it is not visible
		}
		s = "n" + strings.ReplaceAll(s, "; ", ";")
		if s == strings.ToLower(s) { // no differences of case only
			good = append(good, reads(" "+s+"\u3000\t", s)...)
		}
	}
	full := strings.Repeat("\u00e9", most)
	return append(good, keeps(full)...),
		append(hidden("n", ""), refuses(full+"x", "\u2800", "n\u00e9\ttab")...)
}

// spellings are options that are one option, and those that differ from it only in case. The first row of a
// nasty file has the first spelling.
func spellings() (same, differ []nastyCell) {
	return reads(spelling, spelling, "two e\u0301coles", spelling, " two e\u0301coles\u00a0", spelling,
			"two ecoles", "two ecoles", "two  \u00e9coles", "two  \u00e9coles"),
		refuses("Two \u00e9coles", "TWO E\u0301COLES", "TWO \u00c9COLES")
}

const spelling = "two \u00e9coles"

// times are cells of datetimes without a format.
func times() (good, bad []nastyCell) {
	return reads("2026-04-03T10:20:30.1234567Z", "2026-04-03T10:20:30.123456Z", "2026-04-03 10:20",
			"2026-04-03T10:20:00Z", " 2026-04-03T10:20:30+02:00\n", "2026-04-03T08:20:30Z",
			"2026-04-03T10:20:30 UTC", "2026-04-03T10:20:30Z", "0001-01-01T00:00:01Z", "0001-01-01T00:00:01Z",
			"9999-12-31T23:59:59.999999Z", "9999-12-31T23:59:59.999999Z"),
		refuses(append([]string{"2026-04-03T24:00:00Z", "2026-04-03T10:60Z", "2026-04-03T10:20:60Z", "now",
			"03/04/2026 10:20", "1700000000", "2026-04-03T10:20:30Europe/Berlin", "2026-02-30T10:00:00Z",
			"9999-12-31T23:59:59-01:00", "2026-04-03T10:20:30 AM", "7"}, words...)...)
}

// tempting are cells of which one column has only these: they could be numbers, dates, Booleans or options,
// but some of them would then become equal, or nothing shows which values they are.
var tempting = [][]string{{"1.9", "1.10", "1.1", "2.0"}, {"007", "7", "08"},
	{"12,50 \u20ac", "12,5 \u20ac", "3 \u20ac"}, {"03/04/2026", "5/5/2026"},
	{"13/04/2026", "04/03/2026", "1/2/2026"}, {"yes", "Yes", "no"}, {"Yes", "No"}, {"NO", "SE", "DK"}, {"NO"},
	{"true", "TRUE", "false"}, {" 5", "5", "6 "}, {"\uff15", "5"}, {"1e3", "1000"}, {"+5", "5"}, {"-0", "0"},
	{"1.0", "1", "2"}, {"1.000", "2.000"}, {"1,234", "5,678"}, {"1.234,50", "1,5"}, {"1.234,50", "1234,5"},
	{"45 %", "0.45"}, {"$12", "12"}, {"$1,000.00", "$3.00"}, {"a", "a ", "b"}, {"\u00e9", "e\u0301", "e"},
	{"Open", "open"}, {"2026-04-03", " 2026-04-04 "}, {"2026-04-03 10:20", "2026-04-03T10:20Z"},
	{"10:20", "24:00"}, {"null", "N/A", "1"}, {"9007199254740993", "9007199254740992"},
	{"9007199254740993.0", "9007199254740992.0"}, {"0.1", "0.10"}, {"1_000", "1000"}, {"(5)", "-5"},
	{"\u22125", "-5"}, {"10.0.0.1", "10.0.0.2"}, {"+49 301 234", "+49 301 235"}, {"0x10", "16"},
	{"1 000", "1000"}, {"Apr 3, 2026", "3 Apr 2026"}, {"20260403", "20260404"}, {"2026-02-29", "2026-03-01"},
	{"x", "o"}, {"on", "off"}, {"Ja", "ja", "nein"}, {"1,5", "2,5"}, {"12 kg", "13 kg"}, {"Infinity", "NaN"},
	{"Stra\u00dfe", "Strasse"}, {"\u30d0\u30b9", "\u30cf\u30b9"}, {"m\u00b2", "m2"},
	{"a\u00a0b", "a b", "a  b"}, {"\ufb01n", "fin"}, {"=1", "=1 "}, {"\t", " ", "\u3000"}, {"v1", "V1"},
	{"1.5", "1.50", "1,50"}, {"2026-04-03T10:20:00+02:00", "2026-04-03T08:20:00Z"},
	{"0001-01-01", "9999-12-31"}, {"00:00", "0:00"}}
