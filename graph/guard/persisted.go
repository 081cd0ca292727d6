package guard

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"

	"github.com/99designs/gqlgen/graphql"

	"issuegrid/tracker"
)

// Persisted queries: a client sends the SHA-256 of its query in extensions.persistedQuery instead of the
// query, or both if the server does not have the query yet (Apollo's APQ protocol). gqlgen's own extension
// stores queries before they are checked and limits only their number.
//
// A hash finds only queries of the same tenant; otherwise it would reveal whether another tenant has sent a
// certain query. Operators, and all clients of a server without authentication, share one separate space. The
// operations of a manifest are not secret and are shared by all.

// PersistedKey is the member of a request's extensions that has the hash of a persisted query.
const PersistedKey = "persistedQuery"

const (
	// These codes are part of Apollo's protocol: on the first, a client sends the query with its hash; on the
	// second, it stops sending hashes.
	codeNotPersisted  tracker.Code = "PERSISTED_QUERY_NOT_FOUND"
	codeNotPersisting tracker.Code = "PERSISTED_QUERY_NOT_SUPPORTED"
)

// resolve sets the query of a request that has only a hash, and checks that the query is allowed.
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
		return tracker.Bad("", "extensions.persistedQuery.sha256Hash is not the SHA-256 of the query, in "+
			"64 hexadecimal digits")
	}
	return nil
}

// tenant returns the tenant whose persisted queries a request uses, or "" for operators.
func (g *Extension) tenant(ctx context.Context) tracker.TenantID {
	if p := g.principal(ctx); p.Confined() {
		return p.Tenant
	}
	return ""
}

// ownKey returns the cache key of a persisted query. Tenant ids contain no slash, so that keys of different
// tenants differ.
func (g *Extension) ownKey(ctx context.Context, hash string) string {
	return string(g.tenant(ctx)) + "/" + hash
}

// storePersisted stores a query that was sent with its hash and has passed all checks.
func (g *Extension) storePersisted(ctx context.Context, op *graphql.OperationContext) {
	hash, err := hashOf(op.Extensions)
	if err == nil && hash != "" && g.persisted != nil && g.Allowed == nil {
		g.persisted.Add(string(g.tenant(ctx)), g.ownKey(ctx, hash), op.RawQuery, int64(len(op.RawQuery)))
	}
}

// hashOf returns the hash of a request, or "" if it has none.
func hashOf(extensions map[string]any) (string, error) {
	extension, ok := extensions[PersistedKey]
	if !ok || extension == nil {
		return "", nil
	}
	members, _ := extension.(map[string]any)
	if version, _ := members["version"].(json.Number); version != "1" {
		return "", tracker.Bad("", "extensions.persistedQuery.version must be 1")
	}
	hash, _ := members["sha256Hash"].(string)
	if hash == "" {
		return "", tracker.Bad("", "extensions.persistedQuery.sha256Hash must be a string")
	}
	return hash, nil
}

func sha256Of(text string) string {
	sum := sha256.Sum256([]byte(text))
	return hex.EncodeToString(sum[:])
}
