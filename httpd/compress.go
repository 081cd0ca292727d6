package httpd

import (
	"net/http"

	"github.com/klauspost/compress/gzhttp"
	"github.com/klauspost/compress/gzip"
)

// compressFrom is the size in bytes from which answers are compressed. Smaller ones fit into two packets as they are.
const compressFrom = 2 << 10

// compressed compresses answers by gzip for clients that take it.
//
// A page of 100 rows x 8 columns goes from 35 KB to 6 KB at level 1, for 5% of the CPU time that the page takes (docs/benchmarks.md). Level 6 saves
// another 13% of the size for twice the time, and zstd 7% for the same. The writers, 0.8 MB each, are kept for the next answer.
//
// The length of a compressed answer tells whether a text in it occurs twice (BREACH). For that to tell a secret, somebody who sees the length must
// choose a text of the answer and have the secret's owner ask for it again and again. A page of his can't make a browser ask in its user's
// name: there are no cookies, and no token without CORS. And there is no secret in an answer, such as a token, beside the tenant's own data.
func compressed(next http.Handler) http.Handler {
	wrap, err := gzhttp.NewWrapper(gzhttp.EnableZstd(false), gzhttp.CompressionLevel(gzip.BestSpeed), gzhttp.MinSize(compressFrom))
	if err != nil {
		panic(err) // the options are constants
	}
	return wrap(next)
}
