package auth_test

import (
	"os"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"

	"issuegrid/internal/auth"
	"issuegrid/tracker"
)

func manual(t testing.TB) string {
	t.Helper()
	return string(must(os.ReadFile("../../docs/auth.md")))
}

// documented returns the messages in docs/auth.md that say why a token is rejected.
func documented(t testing.TB) []string {
	t.Helper()
	_, table, _ := strings.Cut(manual(t), "\n| sentence |")
	table, _, _ = strings.Cut(table, "\n\n")
	var all []string
	for _, row := range regexp.MustCompile("(?m)^\\| `([^`]+)` \\|").FindAllStringSubmatch(table, -1) {
		all = append(all, row[1])
	}
	return all
}

// TestManual compares docs/auth.md with the code: every setting, every message, the roles, and the example,
// which must be accepted.
func TestManual(t *testing.T) {
	t.Parallel()
	text := manual(t)
	for _, field := range reflect.VisibleFields(reflect.TypeFor[auth.Settings]()) {
		flag := "--auth" + strings.ToLower(
			regexp.MustCompile("(JWKS|[A-Z][a-z]*)").ReplaceAllString(field.Name,
				"-$1")) // as the server names it
		inner := slices.Contains([]string{"Now", "Read", "Secret"}, field.Name)
		if !inner && !strings.Contains(text, "\n| `"+flag+"=") {
			t.Errorf("the setting %s is not in the table", flag)
		}
	}
	sentences := map[string]bool{}
	for _, s := range documented(t) {
		sentences[s] = true
	}
	for _, s := range []string{msgForm, msgLong, msgHeader, msgHS, msgAsymmetric, msgType,
		msgCritical, msgKeyID, msgNoKeyID, msgUnknownKey, msgSignature, msgUnreadable, msgPayload,
		msgLacks, msgWrongType, msgExpired, msgNotYet, msgFuture, msgIssuer, msgAudience, msgExp, msgNbf,
		msgIat, msgRole, msgUser, msgTenant, msgSeveral, msgRequired} {
		if !sentences[s] {
			t.Errorf("%q is not in the table", s)
		}
		delete(sentences, s)
	}
	for s := range sentences {
		t.Errorf("%q is in the table, but no test checks it", s)
	}
	for r := tracker.Reader; r <= tracker.Operator; r++ {
		if !strings.Contains(text, "\n| `"+r.String()+"` |") {
			t.Errorf("the role %s is not in the table", r)
		}
	}
	_, example, _ := strings.Cut(text, "\n## What a token must have\n")
	_, example, _ = strings.Cut(example, "```json\n")
	example, _, _ = strings.Cut(example, "```")
	checkAccepted(t, bySecret(t), issuerSecret.token(`{"alg":"HS256","typ":"JWT"}`, example), ann)
}
