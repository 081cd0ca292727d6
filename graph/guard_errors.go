package graph

import (
	"context"
	"regexp"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/99designs/gqlgen/graphql"
	"github.com/vektah/gqlparser/v2/gqlerror"
)

const (
	// longestQuote and longestMessage are how many bytes of a quoted text, and of a message in all, an error shows: what was sent is not sent back.
	longestQuote, longestMessage = 64, 500
)

var quoted = regexp.MustCompile(`"(?:[^"\\]|\\.)*"`)

// brief shortens a message, first the texts that it quotes.
func brief(message string) string {
	if len(message) <= longestQuote {
		return message
	}
	message = quoted.ReplaceAllStringFunc(message, func(q string) string {
		if len(q) <= longestQuote {
			return q
		}
		return cut(q[:len(q)-1], longestQuote) + `"`
	})
	return cut(message, longestMessage)
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
