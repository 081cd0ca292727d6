package web_test

import (
	"bytes"
	"net/http"
	"strconv"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"issuegrid/web"
)

// isWhole checks that the response to a request with a Range header is the complete file.
func isWhole(t interface{ Errorf(string, ...any) }, what string, r *http.Response, got, want []byte) {
	if r.StatusCode != http.StatusOK || !bytes.Equal(got, want) ||
		r.Header.Get("Content-Length") != strconv.Itoa(len(want)) || r.Header.Get("Content-Range") != "" ||
		r.Header.Get("Accept-Ranges") != "" {
		t.Errorf("%.100s: %s, %d bytes, want %d; %v", what, r.Status, len(got), len(want), r.Header)
	}
}

// TestRanges checks that the response to any Range header, with any If-Range header, is the complete file: to
// generated lists of ranges, well-formed and not, up to as many as fit into a header. TestEverything has a
// range of each file.
func TestRanges(t *testing.T) {
	t.Parallel()
	mux := site()
	wants, tags := map[string][]byte{}, []string{`"another"`, "Mon, 02 Jan 2006 15:04:05 GMT", ""}
	for _, encoding := range []string{"identity", "gzip"} {
		plain, text := ask(t, mux, "GET", web.Operations, "Accept-Encoding: "+encoding)
		wants[encoding], tags = text, append(tags, plain.Header.Get("ETag"))
	}
	number := rapid.OneOf(rapid.Just(""), rapid.Map(rapid.IntRange(-5, 50_000), strconv.Itoa),
		rapid.StringMatching(`[0-9]{1,30}`))
	one := rapid.OneOf(rapid.Custom(func(t *rapid.T) string {
		return number.Draw(t, "from") + "-" + number.Draw(t, "to")
	}), rapid.StringMatching(`[ -~]{0,9}`))
	rapid.Check(t, func(r *rapid.T) {
		unit := rapid.SampledFrom([]string{"bytes=", "bytes= ", "BYTES=", "none=", ""}).Draw(r, "unit")
		separator := rapid.SampledFrom([]string{",", ", ", ",,"}).Draw(r, "separator")
		list := strings.Join(rapid.SliceOfN(one, 0, 40).Draw(r, "ranges"), separator) + separator
		times := rapid.SampledFrom([]int{1, 1, 1, 60_000 / len(list)}).Draw(r, "times")
		header := unit + strings.Repeat(list, times)
		encoding := rapid.SampledFrom([]string{"identity", "gzip"}).Draw(r, "encoding")
		response, got := ask(t, mux, "GET", web.Operations, "Accept-Encoding: "+encoding, "Range: "+header,
			"If-Range: "+rapid.SampledFrom(tags).Draw(r, "If-Range"))
		isWhole(r, header, response, got, wants[encoding])
	})
}
