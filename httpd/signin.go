package httpd

import (
	"context"
	"errors"
	"net/http"

	"issuegrid/auth"
	"issuegrid/dynamo"
	"issuegrid/session"
	"issuegrid/telemetry"
	"issuegrid/tracker"
)

// signedIn requires a valid token. A nil verifier accepts all requests.
func signedIn(v *auth.Verifier, next http.Handler) http.Handler {
	if v == nil {
		return next
	}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		p, err := v.FromHeader(r)
		if e, ok := errors.AsType[*tracker.Error](err); ok {
			telemetry.From(r.Context()).SetRefusal(e.Message)
			w.Header().Set("WWW-Authenticate", auth.Challenge(err))
			refuse(w, http.StatusUnauthorized, e.Code, e.Message)
			return
		}
		telemetry.From(r.Context()).SetTenant(p.Tenant)
		ctx := auth.With(r.Context(), p)
		if p.Confined() {
			ctx = dynamo.Confine(ctx, p.Tenant)
		}
		next.ServeHTTP(w, r.WithContext(ctx))
	})
}

// principal returns the caller: if clients need no token, an operator without a name.
func principal(ctx context.Context) tracker.Principal {
	if p, ok := auth.From(ctx); ok {
		return p
	}
	return session.Anonymous(ctx)
}
