package httpd

import (
	"maps"
	"net/url"
	"slices"
	"strings"
	"unicode/utf8"

	"issuegrid/tracker"
)

// parameters decodes the parameters of a URL. Unknown and repeated ones are errors.
func parameters(u *url.URL, known []string) (values url.Values, wrong []error) {
	values, err := url.ParseQuery(u.RawQuery)
	if text, _ := url.QueryUnescape(u.RawQuery); err != nil || !utf8.ValidString(text) {
		return nil, []error{tracker.Bad("", "the query string of the URL is not well formed")}
	}
	for _, name := range slices.Sorted(maps.Keys(values)) {
		switch all := values[name]; {
		case !slices.Contains(known, name):
			wrong = append(wrong, tracker.Bad(name, "there is no parameter %q; there are %s", name,
				strings.Join(known, ", ")))
		case len(all) > 1:
			wrong = append(wrong,
				tracker.Bad(name, "the parameter is given %d times: give it once", len(all)))
		}
	}
	return values, wrong
}

// trueOrFalse decodes a parameter, which is false if it is empty.
func trueOrFalse(values url.Values, name string) (bool, error) {
	switch given := values.Get(name); given {
	case "true", "false", "":
		return given == "true", nil
	default:
		return false, tracker.Bad(name, "%q is neither true nor false", given)
	}
}
