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

// send answers with the whole file, compressed for a client that takes gzip. The compressed file has a tag of
// its own.
//
// Ranges are ignored, as RFC 9110 allows. Browsers ask for none of these files in parts, and net/http answers
// as many ranges as a header of 64 KB holds: 20,000 of a byte each are 3 MB of answer and 100 times the CPU
// time of the file. Anyone may ask for a file, so that its cost must not depend on the request.
//
// http.ServeContent is asked as if by HEAD: it evaluates If-Match and If-None-Match. The file is then written
// at once, because a copy in pieces would take a buffer for each client that reads slowly.
func (f *file) send(w http.ResponseWriter, r *http.Request) {
	h := w.Header()
	h.Set("Content-Type", f.kind)
	text, tag := f.text, f.tag
	if f.compressed != nil {
		if !slices.Contains(h.Values("Vary"), "Accept-Encoding") { // what compresses answers has said so
			h.Add("Vary", "Accept-Encoding")
		}
		if takesGzip(r.Header.Get("Accept-Encoding")) {
			h.Set("Content-Encoding", "gzip")
			text, tag = f.compressed(), strings.TrimSuffix(tag, `"`)+`-gzip"`
			if r.Header.Get("If-Match") == "" { // else it may be refused, without a text
				// which http.ServeContent leaves out of what is encoded
				h.Set("Content-Length", strconv.Itoa(len(text)))
			}
		}
	}
	h.Set("ETag", tag)
	conditions := &http.Request{Method: http.MethodHead,
		Header: http.Header{"If-Match": r.Header["If-Match"], "If-None-Match": r.Header["If-None-Match"]}}
	answer := &head{ResponseWriter: w}
	http.ServeContent(answer, conditions, "", time.Time{}, bytes.NewReader(text))
	if answer.status == http.StatusOK && r.Method != http.MethodHead {
		http.NewResponseController(w).SetWriteDeadline(time.Now().Add(timeToSend(len(text))))
		w.Write(text)
	}
}

// head is the head of an answer, which says nothing of ranges and remembers its status.
type head struct {
	http.ResponseWriter
	status int
}

func (h *head) WriteHeader(status int) {
	h.Header().Del("Accept-Ranges")
	h.status = status
	h.ResponseWriter.WriteHeader(status)
}

// timeToSend is how long a client may take to read n bytes: 15 seconds, and 1 second for each 64 KiB, as for
// an answer of GraphQL.
func timeToSend(n int) time.Duration { return 15*time.Second + time.Duration(n>>16)*time.Second }

// compressing lets one file be compressed at a time, so that the first requests for all of them take one CPU
// and not all.
var compressing sync.Mutex

// level takes 30 ms of CPU time for a file of 1.9 MB, once in the life of a process. Level 9 of compress/gzip
// takes 110 ms, to save 1% of the size.
const level = 7

// compress compresses a file when it is first asked for.
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
	return bytes.Clone(out.Bytes()) // the buffer may have twice the room
}

// takesGzip reports whether the header Accept-Encoding lists gzip, or else any coding, and not with the
// quality 0.
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

// refused reports whether the parameters of a coding give it the quality 0.
func refused(parameters string) bool {
	quality, err := strconv.ParseFloat(strings.TrimPrefix(strings.TrimSpace(parameters), "q="), 64)
	return err == nil && quality <= 0
}
