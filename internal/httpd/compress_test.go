package httpd

import (
	"fmt"
	"math/rand/v2"
	"net/http"
	"strconv"
	"strings"
	"testing"

	"issuegrid/test/harness"
)

// TestCompression requests responses of many sizes, written in parts, and checks that they are the same with
// and without compression.
func TestCompression(t *testing.T) {
	t.Parallel()
	g, url := site(t, nil, nil)
	content := func(size, seed int) []byte {
		text, dice := make([]byte, 0, size+64), rand.New(rand.NewPCG(uint64(seed), 5))
		for len(text) < size {
			text = fmt.Appendf(text, `{"num":%d,"name":"Issue %x: the bow ramp hinge"},`, dice.IntN(1e6),
				dice.Uint64())
		}
		return text[:size]
	}
	g.open(compressed(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		size, _ := strconv.Atoi(r.FormValue("size"))
		seed, _ := strconv.Atoi(r.FormValue("seed"))
		w.Header().Set("Content-Type", "application/graphql-response+json; charset=utf-8")
		if r.FormValue("status") != "" {
			w.WriteHeader(http.StatusBadRequest)
		}
		dice := rand.New(rand.NewPCG(uint64(seed), 6))
		for text := content(size, seed); len(text) > 0; {
			n := min(len(text), 1+dice.IntN(max(1, size)))
			w.Write(text[:n])
			text = text[n:]
		}
	})))
	for seed, size := range []int{0, 1, 500, compressFrom - 1, compressFrom, compressFrom + 1, 5_000, 28_000,
		65_535, 65_536, 65_537, 400_000, 5_000_000} {
		for _, status := range []int{http.StatusOK, http.StatusBadRequest} {
			address := fmt.Sprintf("%s/graphql?size=%d&seed=%d", url, size, seed)
			if status != http.StatusOK {
				address += "&status=bad"
			}
			want := string(content(size, seed))
			for _, accept := range []string{"gzip", "br, gzip;q=0.5, zstd", "", "identity", "gzip;q=0",
				"zstd, br", "deflate"} {
				r, text := harness.Do(t, "POST", address, "Accept-Encoding: "+accept)
				wantEncoding := ""
				if strings.Contains(accept, "gzip") && !strings.Contains(accept, "q=0") &&
					size >= compressFrom || strings.Contains(accept, "gzip;q=0.5") && size >= compressFrom {
					wantEncoding = "gzip"
				}
				if encoding := r.Header.Get("Content-Encoding"); encoding != wantEncoding {
					t.Errorf("%d bytes, Accept-Encoding %q: Content-Encoding %q, want %q", size, accept,
						encoding, wantEncoding)
				}
				if wantEncoding != "" {
					if size > 10_000 && len(text) > size*2/3 {
						t.Errorf("%d bytes became %d", size, len(text))
					}
					text = harness.Unzip(t, text)
				}
				if text != want || r.StatusCode != status {
					t.Errorf("%d bytes, Accept-Encoding %q: %s, %d bytes that differ", size, accept, r.Status,
						len(text))
				}
				if vary := strings.Join(r.Header.Values("Vary"), ", "); !strings.Contains(vary,
					"Accept-Encoding") || !strings.Contains(vary, "Origin") {
					t.Errorf("Vary: %s", vary)
				}
			}
		}
	}
}
