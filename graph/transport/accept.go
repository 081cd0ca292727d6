package transport

import (
	"mime"
	"net/http"
	"strconv"
	"strings"
)

const (
	mediaJSON     = "application/json"
	mediaResponse = "application/graphql-response+json"
)

// answerType is the media type of the answer that the client likes best, and "" if it takes neither. Without an Accept header, or with one
// in which nothing is well formed, it is JSON, and so it is for ranges such as */*: application/graphql-response+json is for clients
// that name it, because its statuses surprise those that don't know it. One that names both as equally welcome gets it.
func answerType(r *http.Request) string {
	json, response, understood := quality{}, quality{}, false
	for _, header := range r.Header.Values("Accept") {
		for one := range strings.SplitSeq(header, ",") {
			media, parameters, err := mime.ParseMediaType(one)
			if err != nil {
				continue
			}
			q := 1.0
			if text, given := parameters["q"]; given {
				if q, err = strconv.ParseFloat(text, 64); err != nil || !(q >= 0 && q <= 1) {
					continue
				}
			}
			understood = true
			json.consider(mediaJSON, media, q)
			response.consider(mediaResponse, media, q)
		}
	}
	switch {
	case !understood || json.q > 0 && (json.q > response.q || response.precision < exact):
		return mediaJSON
	case response.q > 0:
		return mediaResponse
	}
	return ""
}

// quality is how much a client likes a media type: by the most precise of the ranges that match it, as RFC 9110 has it.
type quality struct {
	q         float64
	precision int
}

// exact is the precision of a range that names the media type itself.
const exact = 3

// consider takes a range of the Accept header into account.
func (a *quality) consider(media, accepted string, q float64) {
	precision := 0
	switch accepted {
	case media:
		precision = exact
	case "application/*":
		precision = 2
	case "*/*":
		precision = 1
	}
	if precision > a.precision || precision == a.precision && precision > 0 && q > a.q {
		*a = quality{q, precision}
	}
}
