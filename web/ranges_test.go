package web_test

import (
	"bytes"
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"issuegrid/web"
)

// ranges are Range headers of all forms: usual ones, malformed ones, and ones that request far more than the
// file.
var ranges = map[string]string{
	"first byte":       "bytes=0-0",
	"part":             "bytes=3-6",
	"rest":             "bytes=5-",
	"suffix":           "bytes=-7",
	"whole":            "bytes=0-",
	"two":              "bytes=0-1,4-5",
	"overlapping":      "bytes=0-100,0-100,50-150",
	"beyond the end":   "bytes=99999999-",
	"reversed":         "bytes=9-3",
	"huge numbers":     "bytes=0-9223372036854775808",
	"another unit":     "lines=1-2",
	"no unit":          "0-5",
	"no numbers":       "bytes=-",
	"empty":            "bytes=",
	"text":             "bytes=a-b",
	"20,000 suffixes":  "bytes=" + strings.Repeat("-1,", 20_000) + "-1",
	"15,000 overlaps":  "bytes=" + strings.Repeat("0-,", 15_000) + "0-",
	"commas":           "bytes=" + strings.Repeat(",", 60_000),
	"spaces":           "bytes=" + strings.Repeat(" ", 60_000) + "0-1",
	"long digits":      "bytes=0-" + strings.Repeat("9", 60_000),
	"10,000 ascending": ascending(10_000),
}

// ascending returns n ranges of one byte each that do not overlap.
func ascending(n int) string {
	var b strings.Builder
	b.WriteString("bytes=")
	for i := range n {
		fmt.Fprintf(&b, "%d-%d,", 2*i, 2*i)
	}
	return strings.TrimSuffix(b.String(), ",")
}

// isWhole checks that the response to a request with a Range header is the complete file.
func isWhole(t interface{ Errorf(string, ...any) }, what string, r *http.Response, got, want []byte) {
	if r.StatusCode != http.StatusOK || !bytes.Equal(got, want) ||
		r.Header.Get("Content-Length") != strconv.Itoa(len(want)) || r.Header.Get("Content-Range") != "" ||
		r.Header.Get("Accept-Ranges") != "" {
		t.Errorf("%.100s: %s, %d bytes, want %d; %v", what, r.Status, len(got), len(want), r.Header)
	}
}

// TestRanges checks that the response to any Range header, with any If-Range header, is the complete file.
func TestRanges(t *testing.T) {
	t.Parallel()
	mux := site()
	for _, p := range append(files(t), "/", "/playground") {
		for _, encoding := range []string{"identity", "gzip"} {
			accept := "Accept-Encoding: " + encoding
			plain, want := ask(t, mux, "GET", p, accept)
			for name, header := range ranges {
				for _, condition := range []string{"", "If-Range: " + plain.Header.Get("ETag"),
					`If-Range: "another"`, "If-Range: Mon, 02 Jan 2006 15:04:05 GMT"} {
					r, got := ask(t, mux, "GET", p, accept, "Range: "+header, condition)
					isWhole(t, p+", "+name+", "+condition, r, got, want)
				}
			}
		}
	}
}

// TestGeneratedRanges sends generated lists of ranges, well-formed and not.
func TestGeneratedRanges(t *testing.T) {
	t.Parallel()
	mux := site()
	wants := map[string][]byte{}
	for _, encoding := range []string{"identity", "gzip"} {
		_, wants[encoding] = ask(t, mux, "GET", web.Operations, "Accept-Encoding: "+encoding)
	}
	number := rapid.OneOf(rapid.Just(""), rapid.Map(rapid.IntRange(-5, 50_000), strconv.Itoa),
		rapid.StringMatching(`[0-9]{1,30}`))
	one := rapid.OneOf(rapid.Custom(func(t *rapid.T) string {
		return number.Draw(t, "from") + "-" + number.Draw(t, "to")
	}), rapid.StringMatching(`[ -~]{0,9}`))
	rapid.Check(t, func(r *rapid.T) {
		unit := rapid.SampledFrom([]string{"bytes=", "bytes= ", "BYTES=", "none=", ""}).Draw(r, "unit")
		header := unit + strings.Join(rapid.SliceOfN(one, 0, 40).Draw(r, "ranges"),
			rapid.SampledFrom([]string{",", ", ", ",,"}).Draw(r, "separator"))
		encoding := rapid.SampledFrom([]string{"identity", "gzip"}).Draw(r, "encoding")
		response, got := ask(t, mux, "GET", web.Operations, "Accept-Encoding: "+encoding, "Range: "+header)
		isWhole(r, header, response, got, wants[encoding])
	})
}
