package httpd

import (
	"context"
	"errors"
	"net/http"

	"issuegrid/dynamo"
	"issuegrid/internal/auth"
	"issuegrid/internal/refusal"
	"issuegrid/internal/session"
	"issuegrid/internal/telemetry"
	"issuegrid/tracker"
)

// signedIn requires a valid token, of a user that is not deactivated. A nil verifier accepts all requests.
func signedIn(v *auth.Verifier, account func(context.Context, tracker.Principal) (tracker.Principal, error),
	next http.Handler) http.Handler {
	if v == nil {
		return next
	}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		p, err := v.FromHeader(r)
		if e, ok := errors.AsType[*tracker.Error](err); ok {
			telemetry.From(r.Context()).SetRefusal(e.Message)
			w.Header().Set("WWW-Authenticate", auth.Challenge(err))
			refusal.WriteError(w, e)
			return
		}
		telemetry.From(r.Context()).SetTenant(p.Tenant)
		ctx := r.Context()
		if p.Confined() {
			ctx = dynamo.Confine(ctx, p.Tenant)
		}
		p, err = account(ctx, p)
		e, ok := errors.AsType[*tracker.Error](err)
		switch {
		case ok && e.Code == tracker.Forbidden:
			telemetry.From(r.Context()).SetRefusal(e.Message)
			refusal.WriteError(w, e)
			return
		case err != nil: // whether the user is deactivated is not known
			telemetry.From(r.Context()).SetRefusal(err.Error())
			refusal.WriteError(w, busy("your user could not be found; try again"))
			return
		}
		next.ServeHTTP(w, r.WithContext(auth.With(ctx, p)))
	})
}

// principal returns the caller: if clients need no token, an operator without a name.
func principal(ctx context.Context) tracker.Principal {
	if p, ok := auth.From(ctx); ok {
		return p
	}
	return session.Anonymous(ctx)
}
