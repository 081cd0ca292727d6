package web

import (
	"bytes"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/klauspost/compress/gzip"
)

// send sends the whole file, compressed if the client accepts gzip. The compressed file has an entity tag of
// its own.
//
// Range headers are ignored, as RFC 9110 allows. Browsers do not request these files in parts, and net/http
// serves as many ranges as fit into a header of 64 KB: 20,000 ranges of one byte make a response of 3 MB and
// take 100 times the CPU time of the whole file. Since files are served without a token, their cost must not
// depend on the request.
//
// http.ServeContent only evaluates If-Match and If-None-Match, with a HEAD request made for it. The file is
// then written in one piece, because copying it in parts would take a buffer for each client that reads
// slowly.
func (f *file) send(w http.ResponseWriter, r *http.Request) {
	h := w.Header()
	h.Set("Content-Type", f.kind)
	text, tag := f.text, f.tag
	if f.compressed != nil {
		// unless the middleware that compresses responses has added it
		if !slices.Contains(h.Values("Vary"), "Accept-Encoding") {
			h.Add("Vary", "Accept-Encoding")
		}
		if takesGzip(r.Header.Get("Accept-Encoding")) {
			h.Set("Content-Encoding", "gzip")
			text, tag = f.compressed(), strings.TrimSuffix(tag, `"`)+`-gzip"`
			if r.Header.Get("If-Match") == "" { // otherwise the status may be 412, without a body
				// http.ServeContent omits the length of encoded content.
				h.Set("Content-Length", strconv.Itoa(len(text)))
			}
		}
	}
	h.Set("ETag", tag)
	conditions := &http.Request{Method: http.MethodHead,
		Header: http.Header{"If-Match": r.Header["If-Match"], "If-None-Match": r.Header["If-None-Match"]}}
	response := &head{ResponseWriter: w}
	http.ServeContent(response, conditions, "", time.Time{}, bytes.NewReader(text))
	if response.status == http.StatusOK && r.Method != http.MethodHead {
		http.NewResponseController(w).SetWriteDeadline(time.Now().Add(timeToSend(len(text))))
		w.Write(text)
	}
}

// head writes the header of a response without Accept-Ranges, and records the status.
type head struct {
	http.ResponseWriter
	status int
}

func (h *head) WriteHeader(status int) {
	h.Header().Del("Accept-Ranges")
	h.status = status
	h.ResponseWriter.WriteHeader(status)
}

// timeToSend returns how long a client may take to read n bytes: 15 seconds plus 1 second for each 64 KiB, as
// for a GraphQL response.
func timeToSend(n int) time.Duration { return 15*time.Second + time.Duration(n>>16)*time.Second }

// compressing serializes compression, so that the first requests for all files use one CPU and not all.
var compressing sync.Mutex

// level takes 30 ms of CPU time for a file of 1.9 MB, once per process. Level 9 of compress/gzip takes 110 ms
// and saves 1% of the size.
const level = 7

// compress compresses the given content.
func compress(text []byte) []byte {
	compressing.Lock()
	defer compressing.Unlock()
	var out bytes.Buffer
	w, err := gzip.NewWriterLevel(&out, level)
	if err != nil {
		panic(err) // the level is a constant
	}
	w.Write(text)
	w.Close()
	return bytes.Clone(out.Bytes()) // the buffer may have twice the capacity
}

// takesGzip reports whether an Accept-Encoding header lists gzip, or else *, with a quality above 0.
func takesGzip(accept string) bool {
	any := false
	for coding := range strings.SplitSeq(accept, ",") {
		name, parameters, _ := strings.Cut(coding, ";")
		switch name = strings.TrimSpace(name); {
		case strings.EqualFold(name, "gzip"):
			return !refused(parameters)
		case name == "*":
			any = !refused(parameters)
		}
	}
	return any
}

// refused reports whether the parameters of a coding give it quality 0.
func refused(parameters string) bool {
	quality, err := strconv.ParseFloat(strings.TrimPrefix(strings.TrimSpace(parameters), "q="), 64)
	return err == nil && quality <= 0
}
