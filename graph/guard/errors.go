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
	// longestQuote, longestPath and longestMessage are how many bytes of a quoted text, of the path of an input, and of a message in all, an error shows:
	// what was sent is not sent back, but for an id, the longest of which, of an option, a quote holds whole.
	longestQuote, longestPath, longestMessage = 176, 200, 500
)

// BriefPath shortens the path of an input.
func BriefPath(path string) string { return cut(path, longestPath) }

// Brief shortens the message of an error, and each text that it quotes.
func Brief(message string) string {
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

// closingQuote is where a quoted text ends, before its quote.
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

// cut ends a text between two characters, and shows that it does.
func cut(text string, bytes int) string {
	if len(text) <= bytes {
		return text
	}
	for !utf8.RuneStart(text[bytes]) {
		bytes--
	}
	return strings.TrimRight(text[:bytes], `\`) + "…"
}

// fewErrors keeps an answer from having more errors than it may.
func (l Limits) fewErrors(ctx context.Context, next graphql.ResponseHandler) *graphql.Response {
	response := next(ctx)
	if response == nil || len(response.Errors) <= l.Errors {
		return response
	}
	last := response.Errors[l.Errors-1]
	response.Errors = append(response.Errors[:l.Errors-1:l.Errors-1], &gqlerror.Error{
		Message:    "there are more errors than these; an answer shows at most " + strconv.Itoa(l.Errors),
		Extensions: map[string]any{"code": last.Extensions["code"]},
	})
	return response
}
