package graph

import (
	"context"
	"strings"

	"github.com/99designs/gqlgen/graphql"

	"issuegrid/graph/model"
	"issuegrid/tracker"
)

// requires implements the directive @requires: it refuses a field to a principal that does not have the role.
func requires(ctx context.Context, _ any, next graphql.Resolver, role model.Role) (any, error) {
	if err := mustBe(ctx, roles[role], ""); err != nil {
		return nil, err
	}
	return next(ctx)
}

// may reports whether the principal has a role.
func may(ctx context.Context, role tracker.Role) bool { return session(ctx).Principal.May(role) }

// mustBe returns a Forbidden error if the principal does not have the role. path is the input that requires
// the role, or "".
func mustBe(ctx context.Context, role tracker.Role, path string) error {
	p := session(ctx).Principal
	if p.May(role) {
		return nil
	}
	return &tracker.Error{Code: tracker.Forbidden, Path: path,
		Message: "this requires the role " + strings.ToUpper(role.String()) + "; yours is " +
			strings.ToUpper(p.Role.String())}
}

func tenantOfViewer(ctx context.Context, v *model.Viewer) (*model.Tenant, error) {
	if v.Principal.Tenant == "" {
		return nil, nil
	}
	return tenantByID(ctx, v.Principal.Tenant)
}

// roles maps the roles of the schema.
var roles = map[model.Role]tracker.Role{model.RoleReader: tracker.Reader, model.RoleEditor: tracker.Editor,
	model.RoleAdmin: tracker.Admin, model.RoleOperator: tracker.Operator}

// parseID parses an id with parse. If the principal must not know of the tenant, the id is replaced by one of
// its own tenant that does not exist. It is then looked up like any other id, so that the response, the error
// and the cost are those of an id that does not exist. The id of another tenant is NotFound immediately,
// whether or not that tenant exists.
func parseID(ctx context.Context, id string, parse func(string) (model.NodeID, error)) (model.NodeID, error) {
	n, err := parse(id)
	if err != nil {
		return n, err
	}
	p := session(ctx).Principal
	if p.CanAccess(n.Tenant) {
		return n, nil
	}
	if n.IsTenant() {
		return model.NodeID{}, tracker.Missing("tenant")
	}
	return n.Elsewhere(p.Tenant), nil
}

func parseTenantID(ctx context.Context, id string) (model.NodeID, error) {
	return parseID(ctx, id, model.ParseTenantID)
}

func parseProjectID(ctx context.Context, id string) (model.NodeID, error) {
	return parseID(ctx, id, model.ParseProjectID)
}

func parseFieldID(ctx context.Context, id string) (model.NodeID, error) {
	return parseID(ctx, id, model.ParseFieldID)
}

func parseIssueID(ctx context.Context, id string) (model.NodeID, error) {
	return parseID(ctx, id, model.ParseIssueID)
}
