package fold_test

import (
	"bytes"
	"math/rand/v2"
	"runtime"
	"slices"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/cases"
	"golang.org/x/text/collate"
	"golang.org/x/text/language"
	"golang.org/x/text/unicode/norm"
	"pgregory.net/rapid"

	"issuegrid/internal/fold"
	"issuegrid/internal/sortkey"
	"issuegrid/test/tier"
	"issuegrid/tracker"
)

// reference is the definition of String in terms of x/text, in steps over the whole string.
func reference(s string) string {
	var all []rune
	for _, r := range s {
		for _, c := range norm.NFKD.String(string(r)) {
			if accent(c) {
				all = append(all, c)
				continue
			}
			for _, folded := range norm.NFKD.String(strings.ToLower(cases.Fold().String(string(c)))) {
				if !accent(folded) {
					all = append(all, folded)
				}
			}
		}
	}
	all = slices.DeleteFunc(composed(all), accent)
	for i := 0; i < len(all); {
		j := i
		for j < len(all) && j < i+30 && class(all[j]) > 0 {
			j++
		}
		slices.SortStableFunc(all[i:j], func(a, b rune) int { return int(class(a)) - int(class(b)) })
		i = max(j, i+1)
	}
	return string(all)
}

func class(r rune) uint8 { return norm.NFKD.PropertiesString(string(r)).CCC() }

// accent reports whether a mark is removed.
func accent(r rune) bool {
	return unicode.Is(unicode.Mn, r) && r != 0x3099 && r != 0x309a && (unicode.Is(unicode.Inherited, r) ||
		unicode.Is(unicode.Hebrew, r) || unicode.Is(unicode.Arabic, r) || unicode.Is(unicode.Syriac, r) ||
		unicode.Is(unicode.Variation_Selector, r))
}

// composed composes each letter with the first mark in canonical order with which it is a letter of its own.
func composed(s []rune) (out []rune) {
	var used []int
	for i, letter := range s {
		at, kept := -1, 0
		for j := i + 1; class(letter) == 0 && j < len(s) && kept < 30; j++ {
			if class(s[j]) == 0 && !accent(s[j]) {
				break
			}
			if own[[2]rune{letter, s[j]}] != 0 && (at < 0 || class(s[j]) < class(s[at])) {
				at = j
			} else if !accent(s[j]) {
				kept++
			}
		}
		if at >= 0 {
			letter = own[[2]rune{letter, s[at]}]
			used = append(used, at)
		}
		if !slices.Contains(used, i) {
			out = append(out, letter)
		}
	}
	return out
}

// own has the letters of their own that are composed with a removed mark: those of Cyrillic and Arabic that
// differ at the first level of the root collation of x/text, and the kana with a voicing mark.
var own = func() map[[2]rune]rune {
	out := map[[2]rune]rune{}
	firstLevel := collate.New(language.Und, collate.Loose)
	for r := rune(0x300); r < 0x3100; r++ {
		d := []rune(norm.NFD.String(string(r)))
		if len(d) == 2 && unicode.ToLower(r) == r && (unicode.In(r, unicode.Cyrillic, unicode.Arabic) &&
			firstLevel.CompareString(string(r), string(d[0])) != 0 || d[1] == 0x3099 || d[1] == 0x309a) {
			out[[2]rune{d[0], d[1]}] = r
		}
	}
	return out
}()

// TestFoldEveryCharacter folds each character of Unicode, alone and among characters that are sensitive to
// how its marks are counted and ordered.
func TestFoldEveryCharacter(t *testing.T) {
	const page = 64
	for first := rune(0); first <= unicode.MaxRune; first += page {
		var all strings.Builder
		for r := first; r < first+page; r++ {
			all.WriteString(string(r) + "-")
		}
		if s := all.String(); fold.String(s) == reference(s) {
			continue
		}
		for r := first; r < first+page; r++ {
			if s := string(r); fold.String(s) != reference(s) {
				t.Errorf("%U folds to %+q, want %+q", r, fold.String(s), reference(s))
			}
		}
	}
	for _, r := range interesting() {
		if !involved(r) && r%97 != 0 {
			continue
		}
		for n := 27; n <= 31; n++ { // The 31st non-starter is then in the character or next to it.
			for _, around := range [][2]string{{"", ""}, {"a\u302e", "\U0001D165"}} {
				check(t, around[0]+string(r)+strings.Repeat("\u0301", n)+"\u302e\U0001D165\u1734"+string(r)+
					"\u302f\u1715"+around[1])
				check(t, around[0]+strings.Repeat("\u0301", n)+"\u302e"+string(r)+"\U0001D165\u1734"+
					around[1])
				check(t, around[0]+strings.Repeat("\u302e", n)+string(r)+strings.Repeat("\U0001D165", 3)+
					around[1])
				check(t, around[0]+strings.Repeat(string(r), n)+"\u302e\U0001D165\u1734\u0301\u302f\u1715"+
					around[1])
			}
		}
	}
}

// interesting returns the characters that decompose, combine or are removed.
func interesting() (out []rune) {
	for r := range rune(unicode.MaxRune + 1) {
		p := norm.NFKD.PropertiesString(string(r))
		if unicode.Is(unicode.Mn, r) || p.Decomposition() != nil || p.CCC() != 0 || !p.BoundaryBefore() ||
			r >= 0xac00 && r < 0xac00+57 {
			out = append(out, r)
		}
	}
	return out
}

// involved reports whether the decomposition of a character contains a non-starter.
func involved(r rune) bool {
	for _, c := range norm.NFKD.String(string(r)) {
		if p := norm.NFKD.PropertiesString(string(c)); !p.BoundaryBefore() {
			return true
		}
	}
	return false
}

func check(t interface {
	Helper()
	Fatalf(string, ...any)
}, s string) {
	t.Helper()
	got, want := fold.String(s), reference(s)
	if got != want {
		t.Fatalf("%+q\nfolds to %+q,\nwant     %+q", s, got, want)
	}
	if again := fold.String(got); again != got {
		t.Fatalf("%+q\nfolds to %+q,\nand that to %+q", s, got, again)
	}
}

// TestFoldPairs folds every pair, in tier one one of 23, of the characters that survive folding and
// take part in reordering, in different contexts.
func TestFoldPairs(t *testing.T) {
	var few []rune
	for _, r := range interesting() {
		s := norm.NFKD.String(string(r))
		last, _ := utf8.DecodeLastRuneInString(s)
		if involved(r) && !accent(last) && (!unicode.Is(unicode.Hangul, r) || r%7 == 0) {
			few = append(few, r)
		}
	}
	few = append(few, 'a', 'É', '\u034f', '\u0301', '\u0344', '\u0f73', '\u0c48', '\uff9e', '\u3099',
		'\ufffd', '한', '하', '\ufdfa', '\u1fb7')
	t.Logf("%d characters", len(few))
	step := tier.Cases(23, 1)
	for n, a := range few {
		for m := n % step; m < len(few); m += step {
			b := few[m]
			pair := string(a) + string(b)
			check(t, pair)
			check(t, "x\u302e"+pair+"\U0001D165\u16ff0")
			check(t, "\U0001D16D"+string(a)+"\u034f"+string(b)+"\u1734y")
		}
	}
}

// alphabets are sets of characters that interact during reordering.
var alphabets = [][]rune{
	[]rune("aÉß\u0301\u0323\u302e\u302f\U0001D165\U0001D16D\u1734\U00016FF0\u034f"),
	[]rune("\u302e\U0001D165\U0001D16D\u1734"),
	[]rune("\u0301\u0344\u302e\U0001D165\u0f73\u0f71\u0f80"),
	[]rune("\u1161\u11a8한하\u1100\u302e\u302f\u3133\uffc2\u3271\u0301"),
	[]rune("\u09be\u09cb\u0ccb\u0ddd\u0dcf\u1b35\u1b06\u1b44\u0bd7\u302e"),
	[]rune("\U0001D15E\U0001D160\U0001D1BD\U0001D165\U0001D16D\U0001D157\u302e\u0301"),
	[]rune("\ufdfa\u1fb7\uff9e\uff76日本語のテキストガ\u302e\u0c48\u0c46\u0c56"),
	[]rune("クก\u0e48\u0c56\u3099\u0306и"),
	[]rune("かカｶハバパあ\u3099\u309a\uff9e\u302a\u0301\u034f"),
	[]rune("ийИЙеёіїӥ\u0306\u0308\u0301\u0344\u0483\u302e"),
	[]rune("اأإآوؤﺄﻷ\u0653\u0654\u0655\u064b\u0670\u302e"),
	[]rune("ขข้ข่าวกิกุ\u0e38\u0e48\u0e3a\u0ec9क़क\u093c\u094d\u0941"),
	[]rune("Straße ÄÖÜ aé ЙйЁ Σςσ İıſ ﬁﬀ ŉ ǰ \x00 Z[@`{"),
}

func adversarial() *rapid.Generator[string] {
	return rapid.Custom(func(t *rapid.T) string {
		alphabet := rapid.SampledFrom(alphabets).Draw(t, "alphabet")
		var b strings.Builder
		for range rapid.IntRange(0, 5).Draw(t, "runs") {
			for _, r := range rapid.SliceOfN(rapid.SampledFrom(alphabet), 0, 6).Draw(t, "some") {
				b.WriteRune(r)
			}
			b.WriteString(strings.Repeat(string(rapid.SampledFrom(alphabet).Draw(t, "repeated")),
				rapid.SampledFrom([]int{0, 1, 2, 14, 15, 27, 28, 29, 30, 31, 59, 60, 61, 70}).Draw(t,
					"times")))
		}
		return b.String()
	})
}

// repeated returns long strings, as long as the part of a text that a sort string has, and longer.
func repeated() *rapid.Generator[string] {
	return rapid.Custom(func(t *rapid.T) string {
		unit := rapid.SampledFrom([]string{"a", "\x00", "日", "é", "ﬁ", "\u0301"}).Draw(t, "unit")
		return strings.Repeat(unit, rapid.IntRange(300, 1000).Draw(t, "times")) +
			rapid.StringN(0, 3, -1).Draw(t, "end")
	})
}

// TestLettersStay has words that differ in marks which tell words apart, and words that differ in accents and
// vowel points only.
func TestLettersStay(t *testing.T) {
	for _, words := range [][]string{
		{"バス", "パス", "ハス"}, {"か", "が", "か\u309a"}, {"ข่าว", "ข้าว", "ขาว"}, {"ເຂົ້າ", "ເຂົາ"}, {"ກີ", "ກິ"},
		{"कुल", "कल", "काल"}, {"क़", "क"}, {"কি", "কী", "ক"}, {"ކަ", "ކު"},
		{"мой", "мои"}, {"її", "іі"}, {"ў", "у"}, {"أن", "إن", "ان"},
	} {
		for i, a := range words {
			for _, b := range words[:i] {
				if fold.String(a) == fold.String(b) {
					t.Errorf("%s and %s have the folded form %+q", a, b, fold.String(a))
				}
			}
		}
	}
	for _, words := range [][]string{
		{"Schäden", "schaden"}, {"Καφές", "ΚΑΦΕΣ"}, {"Việt", "viet"}, {"за́мок", "замок"}, {"ёлка", "елка"},
		{"МОЙ", "мой", "мои\u0306"}, {"שָׁלוֹם", "שלום"}, {"كَتَبَ", "كتب"},
		{"バス", "ﾊﾞｽ", "ハ\u3099ス"}, {"❤️", "❤"},
	} {
		for _, word := range words {
			if got, want := fold.String(word), fold.String(words[0]); got != want {
				t.Errorf("%s folds to %+q, and %s to %+q", word, got, words[0], want)
			}
		}
	}
}

// TestEquivalentStrings folds random strings in all normal forms, whose order of marks differs (F5). A case
// is a string.
func TestEquivalentStrings(t *testing.T) {
	random := rand.New(rand.NewPCG(5, 6))
	forms := map[string]norm.Form{"NFC": norm.NFC, "NFD": norm.NFD, "NFKC": norm.NFKC, "NFKD": norm.NFKD}
	for range tier.Cases(20_000, 1_000_000) {
		alphabet := alphabets[random.IntN(len(alphabets))]
		runes := make([]rune, random.IntN(20))
		for i := range runes {
			runes[i] = alphabet[random.IntN(len(alphabet))]
		}
		s := string(runes)
		for name, form := range forms {
			if equal := form.String(s); fold.String(equal) != fold.String(s) {
				t.Fatalf("%+q folds to %+q, and its %s %+q to %+q", s, fold.String(s), name, equal,
					fold.String(equal))
			}
		}
	}
}

// TestFoldMatchesReference compares random strings with the law of folding, written once more (F5), and names
// some that have one form. A case is a string.
func TestFoldMatchesReference(t *testing.T) {
	for s, want := range map[string]string{"Éclair": "eclair", "e\u0301CLAIR": "eclair", "STRASSE": "strasse",
		"straße": "strasse", "ﬁne": "fine", "İ": "i"} {
		if got := fold.String(s); got != want {
			t.Errorf("String(%q) = %q, want %q", s, got, want)
		}
	}
	rapid.Check(t, func(t *rapid.T) {
		check(t, rapid.OneOf(adversarial(), rapid.String(), repeated()).Draw(t, "s"))
	})
	random := rand.New(rand.NewPCG(1, 2))
	// Long strings of few distinct characters, which rapid rarely makes.
	for range tier.Cases(20_000, 100_000) {
		alphabet := alphabets[random.IntN(len(alphabets))]
		s := make([]rune, random.IntN(150))
		for i := range s {
			s[i] = alphabet[random.IntN(min(len(alphabet), 1+i%12))]
		}
		check(t, string(s))
	}
}

// TestFoldAcrossBuffers folds long runs of marks at different offsets.
func TestFoldAcrossBuffers(t *testing.T) {
	for _, n := range []int{90, 120, 127, 128, 4000, 4090, 4095, 4096} {
		for _, marks := range []string{"\u302e\U0001D165", "\u0301\U0001D16D\u302e\u0344",
			"\u1161\u302e\U0001D165", "\U0001D160\u302e"} {
			for shift := range 8 {
				check(t, strings.Repeat("a", n+shift)+strings.Repeat(marks, 40)+"z")
				check(t, strings.Repeat("Я", (n+shift)/2)+strings.Repeat(marks, 40)+"z")
			}
		}
	}
}

// TestFoldInvalidUTF8 folds strings of parts of characters.
func TestFoldInvalidUTF8(t *testing.T) {
	pieces := []string{"\x80", "\xbf", "\xc0", "\xc1\x80", "\xc3", "\xe2", "\xe2\x82", "\xed\xa0\x80",
		"\xe0\x80\x80", "\xef\xbf", "\xf0", "\xf0\x9d", "\xf0\x9d\x85", "\xf4\x90\x80\x80", "\xf5", "\xff",
		"a", "É", "\u0301", "\u302e", "\U0001D165", "한", "日", "Z"}
	random := rand.New(rand.NewPCG(3, 4))
	for range tier.Cases(50_000, 200_000) {
		var b strings.Builder
		for range random.IntN(7) {
			b.WriteString(pieces[random.IntN(len(pieces))])
		}
		check(t, b.String())
	}
}

// TestFolderInPieces checks that folding in pieces of any size gives the same result as Fold.
func TestFolderInPieces(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := rapid.OneOf(adversarial(), rapid.String(), repeated()).Draw(t, "s")
		var f fold.Folder
		f.Reset(s)
		var got []byte
		for read := 0; !f.Done(); {
			most := rapid.SampledFrom([]int{1, 2, 3, 7, 8, 64, 1000}).Draw(t, "most")
			before, n := len(got), 0
			if got, n = f.Append(got, most); n < min(most, len(s)-read) || n > most+utf8.UTFMax-1 ||
				len(got)-before > 0 && n == 0 {
				t.Fatalf("Append(%d) read %d bytes at offset %d and appended %d", most, n, read,
					len(got)-before)
			}
			if read += n; !strings.HasPrefix(reference(s), string(got)) {
				t.Fatalf("%+q is not a prefix of %+q", got, reference(s))
			}
		}
		if want := reference(s); string(got) != want {
			t.Fatalf("%+q\nfolds to %+q,\nwant     %+q", s, got, want)
		}
	})
}

func TestFoldAllocates(t *testing.T) {
	fold.String("É")
	for _, test := range []struct {
		name, text string
		want       float64
	}{
		{"ASCII in lower case", strings.Repeat("a name in lower case, 0-9 [\\]^_`{|}~\x00\x7f ", 100), 0},
		{"Japanese", "日本語の", 0},
		{"ASCII", "A Name", 2},
		{"ASCII at its end", strings.Repeat("a", 1001) + "Z", 2},
		{"German", "Größenänderung", 2},
		{"Korean", "한국어", 2},
		{"folded form is longer", strings.Repeat("\ufdfa", 1000), 2},
		{"only marks", "\u0301\u0302", 0},
		{"marks that are reordered", strings.Repeat("\u302e\U0001D165", 500), 2},
	} {
		t.Run(test.name, func(t *testing.T) {
			if got := testing.AllocsPerRun(20, func() { fold.String(test.text) }); got > test.want {
				t.Errorf("got %g allocations, want %g", got, test.want)
			}
		})
	}
}

// TestTextFoldsNoMoreThanItNeeds compares sortkey.Text and FoldedPrefix with the results for the whole folded
// string, for lengths around the maximum, and limits their allocations.
func TestTextFoldsNoMoreThanItNeeds(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		filler := rapid.SampledFrom([]string{"a", "A", "\x00", "\u0301", "日", "ü", "\u302e", "\ufdfa",
			"한"}).Draw(t, "filler")
		n := rapid.SampledFrom([]int{0, 40, 90, 106, 159, 310, 318, 319, 320, 478, 950, 957, 958, 959, 960,
			961, 2000}).Draw(t, "n")
		s := adversarial().Draw(t, "before") + strings.Repeat(filler, n) + adversarial().Draw(t, "after") +
			strings.Repeat("\U0001D165", n%7)
		folded := reference(s)
		if got, want := sortkey.Text(s), sortkey.FoldedText(folded); !bytes.Equal(got, want) {
			t.Fatalf("Text(%+q) = %x, want %x", s, got, want)
		}
		start := folded[:min(len(folded), sortkey.MaxFolded)]
		if got, want := sortkey.FoldedPrefix(start), sortkey.FoldedPrefix(folded); !bytes.Equal(got, want) {
			t.Fatalf("FoldedPrefix of %+q = %x, want %x", s, got, want)
		}
		if got, want := sortkey.FoldedText(start), sortkey.FoldedText(folded); !bytes.Equal(got, want) {
			t.Fatalf("FoldedText of %+q = %x from the first %d bytes, want %x", s, got, len(start), want)
		}
	})
	long := strings.Repeat("\ufdfa", tracker.MaxText/3)
	allocated := func(f func()) uint64 {
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		f()
		runtime.ReadMemStats(&after)
		return after.TotalAlloc - before.TotalAlloc
	}
	if all := allocated(func() { fold.String(long) }); all < 11*tracker.MaxText {
		t.Errorf("%d bytes allocated for the whole string: too few for the check below to be meaningful", all)
	}
	if start := allocated(func() { sortkey.Text(long) }); start > 1<<20 {
		t.Errorf("Text allocated %d bytes", start)
	}
}
