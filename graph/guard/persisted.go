package guard

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"

	"github.com/99designs/gqlgen/graphql"

	"issuegrid/tracker"
)

// Persisted queries: a client sends the SHA-256 of its query in extensions.persistedQuery instead of the text, and the text with it when the server does
// not know it yet (APQ, as Apollo's clients have it). gqlgen's extension for that keeps whatever it is sent, before it is checked, by number alone.
//
// A hash finds only the queries of its own tenant; otherwise it would disclose whether another tenant has sent a certain query. Operators,
// and all callers of a server that asks nobody to sign in, are like one tenant more. The operations of a manifest are no secret, and are for all.

// PersistedKey is the member of a request's extensions that has the hash of a persisted query.
const PersistedKey = "persistedQuery"

const (
	// What clients know: after the first code they send the text with its hash, after the second no hashes any more.
	codeNotPersisted  tracker.Code = "PERSISTED_QUERY_NOT_FOUND"
	codeNotPersisting tracker.Code = "PERSISTED_QUERY_NOT_SUPPORTED"
)

// resolve puts the text of a persisted query into the request, and checks that it may run.
func (g *Extension) resolve(ctx context.Context, p *graphql.RawParams) error {
	hash, err := hashOf(p.Extensions)
	if err != nil {
		return err
	}
	if g.Allowed != nil {
		p.Query, err = g.Allowed.query(hash, p.Query)
		return err
	}
	switch {
	case hash == "":
		return nil
	case g.persisted == nil:
		return &tracker.Error{Code: codeNotPersisting, Message: "PersistedQueryNotSupported"}
	case p.Query == "":
		text, known := g.persisted.Get(g.ownKey(ctx, hash))
		if !known {
			return &tracker.Error{Code: codeNotPersisted, Message: "PersistedQueryNotFound"}
		}
		p.Query = text
	case hash != sha256Of(p.Query):
		return tracker.Bad("", "extensions.persistedQuery.sha256Hash is not the SHA-256 of the query, in 64 hexadecimal digits")
	}
	return nil
}

// tenant is the one whose queries a request uses; empty for operators.
func (g *Extension) tenant(ctx context.Context) tracker.TenantID {
	if p := g.who(ctx); p.Confined() {
		return p.Tenant
	}
	return ""
}

// ownKey is the key of a persisted query in the cache, by which no tenant finds what is another's: ids of tenants
// have no slash, so that the first one ends the id.
func (g *Extension) ownKey(ctx context.Context, hash string) string {
	return string(g.tenant(ctx)) + "/" + hash
}

// keep keeps the text of a query that was sent with its hash, and that has passed every check.
func (g *Extension) keep(ctx context.Context, op *graphql.OperationContext) {
	hash, err := hashOf(op.Extensions)
	if err == nil && hash != "" && g.persisted != nil && g.Allowed == nil {
		g.persisted.Add(string(g.tenant(ctx)), g.ownKey(ctx, hash), op.RawQuery, int64(len(op.RawQuery)))
	}
}

// hashOf reads the hash of a request; empty if it has none.
func hashOf(extensions map[string]any) (string, error) {
	given, ok := extensions[PersistedKey]
	if !ok || given == nil {
		return "", nil
	}
	members, _ := given.(map[string]any)
	if version, _ := members["version"].(json.Number); version != "1" {
		return "", tracker.Bad("", "extensions.persistedQuery.version must be 1")
	}
	hash, _ := members["sha256Hash"].(string)
	if hash == "" {
		return "", tracker.Bad("", "extensions.persistedQuery.sha256Hash must be a text")
	}
	return hash, nil
}

func sha256Of(text string) string {
	sum := sha256.Sum256([]byte(text))
	return hex.EncodeToString(sum[:])
}
