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

// responseType returns the media type that the client prefers, or "" if it accepts neither. It is JSON if the
// Accept header is missing or malformed. Wildcards such as */* also mean JSON:
// application/graphql-response+json uses status codes that only clients that name it expect. If a client
// accepts both equally, it receives the latter.
func responseType(r *http.Request) string {
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

// quality is how much a client prefers a media type, taken from the most specific matching range as defined
// in RFC 9110.
type quality struct {
	q         float64
	precision int
}

// exact is the precision of a range that names the media type itself.
const exact = 3

// consider applies one range of the Accept header.
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
