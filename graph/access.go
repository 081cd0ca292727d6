package graph

import (
	"context"
	"strings"

	"github.com/99designs/gqlgen/graphql"

	"issuegrid/graph/model"
	"issuegrid/tracker"
)

// requires is the directive of that name: it refuses a field to who has not the role.
func requires(ctx context.Context, _ any, next graphql.Resolver, role model.Role) (any, error) {
	if err := mustBe(ctx, roles[role], ""); err != nil {
		return nil, err
	}
	return next(ctx)
}

// may tells whether the principal has a role.
func may(ctx context.Context, role tracker.Role) bool { return session(ctx).Principal.May(role) }

// mustBe refuses who has not a role, because of an input if there is a path.
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

// roles are those of the schema.
var roles = map[model.Role]tracker.Role{model.RoleReader: tracker.Reader, model.RoleEditor: tracker.Editor,
	model.RoleAdmin: tracker.Admin, model.RoleOperator: tracker.Operator}

// parseID reads an id as one of its parsers does. One of a tenant that the principal may not know of becomes
// one of his own tenant that names nothing: it is looked up as any other, so that answer, error and cost are
// those of an id that there is not. A tenant's is NotFound at once, whether or not there is such a tenant.
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
