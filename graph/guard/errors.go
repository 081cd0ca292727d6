package guard

import (
	"context"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/99designs/gqlgen/graphql"
	"github.com/vektah/gqlparser/v2/gqlerror"
)

const (
	// longestQuote, longestPath and longestMessage are the maximum bytes of a quoted string, an input path
	// and a whole message in an error, so that a response does not repeat long inputs. The longest id, that
	// of an option, fits in a quote.
	longestQuote, longestPath, longestMessage = 176, 200, 500
)

// ShortenPath shortens an input path.
func ShortenPath(path string) string { return cut(path, longestPath) }

// Shorten shortens an error message and each string that it quotes.
func Shorten(message string) string {
	if len(message) <= longestQuote {
		return message
	}
	var b strings.Builder
	for b.Len() <= longestMessage {
		before, text, found := strings.Cut(message, `"`)
		b.WriteString(before)
		if !found {
			break
		}
		end := closingQuote(text)
		b.WriteString(`"` + cut(text[:end], longestQuote))
		message = text[end:]
		if message == "" {
			break
		}
		b.WriteString(`"`)
		message = message[1:]
	}
	return cut(b.String(), longestMessage)
}

// closingQuote returns the index of the quote that closes text, or its length.
func closingQuote(text string) int {
	for i := 0; i < len(text); i++ {
		switch text[i] {
		case '"':
			return i
		case '\\':
			i++
		}
	}
	return len(text)
}

// cut shortens text to at most the given number of bytes, at a character boundary, and appends an ellipsis.
func cut(text string, bytes int) string {
	if len(text) <= bytes {
		return text
	}
	for !utf8.RuneStart(text[bytes]) {
		bytes--
	}
	return strings.TrimRight(text[:bytes], `\`) + "…"
}

// limitErrors limits the number of errors in a response.
func (l Limits) limitErrors(ctx context.Context, next graphql.ResponseHandler) *graphql.Response {
	response := next(ctx)
	if response != nil {
		response.Errors = l.FirstErrors(response.Errors)
	}
	return response
}

// FirstErrors returns the errors that a response shows. If there are more, the last one says so.
func (l Limits) FirstErrors(all gqlerror.List) gqlerror.List {
	if len(all) <= l.Errors {
		return all
	}
	last := all[l.Errors-1]
	return append(all[:l.Errors-1:l.Errors-1], &gqlerror.Error{
		Message:    "there are more errors; a response shows at most " + strconv.Itoa(l.Errors),
		Extensions: map[string]any{"code": last.Extensions["code"]},
	})
}
