package graph

import (
	"context"
	"strconv"
	"strings"

	"github.com/99designs/gqlgen/graphql"
	"golang.org/x/sync/errgroup"

	"issuegrid/graph/model"
	"issuegrid/tracker"
)

// maxNodes is the maximum number of ids of `nodes`.
const maxNodes = 500

func lookUpTenant(ctx context.Context, id string) (*model.Tenant, error) {
	n, err := parseTenantID(ctx, id)
	if err != nil {
		return nil, err
	}
	return tenantByID(ctx, n.Tenant)
}

func tenantByID(ctx context.Context, id tracker.TenantID) (*model.Tenant, error) {
	l, err := session(ctx).Reads.Tenant(id)
	if err != nil {
		return nil, err
	}
	t, err := l.Get(ctx)
	if err != nil {
		return nil, err
	}
	return &model.Tenant{Tenant: *t, Loaders: l}, nil
}

// lookUpDefinition returns the definition of the project that an id refers to.
func lookUpDefinition(ctx context.Context, n model.NodeID) (*tracker.Definition, error) {
	l, err := tenantLoaders(ctx, n)
	if err != nil {
		return nil, err
	}
	return l.Definition(ctx, n.Project)
}

func lookUpProject(ctx context.Context, id string) (*model.Project, error) {
	n, err := parseProjectID(ctx, id)
	if err != nil {
		return nil, err
	}
	d, err := lookUpDefinition(ctx, n)
	if err != nil {
		return nil, err
	}
	return projectOf(ctx, n, d)
}

// projectByKey looks up a project of a tenant by its key.
func projectByKey(ctx context.Context, l model.Reads, key string) (*model.Project, error) {
	id, err := l.ProjectByKey(ctx, strings.ToUpper(key))
	if err != nil {
		return nil, err
	}
	d, err := l.Definition(ctx, id)
	if err != nil {
		return nil, err
	}
	return &model.Project{Project: &d.Project, Loaders: l}, nil
}

// projectOfViewer looks up a project of the viewer's tenant by its key. path is the argument with the key.
func projectOfViewer(ctx context.Context, path, key string) (*model.Project, error) {
	tenant := session(ctx).Principal.Tenant
	if tenant == "" {
		return nil, tracker.Bad(path, "you have access to all tenants and belong to none; look up the "+
			"project with `tenant(id:) { projectByKey(key:) }`")
	}
	l, err := session(ctx).Reads.Tenant(tenant)
	if err != nil {
		return nil, err
	}
	return projectByKey(ctx, l, key)
}

func projectOf(ctx context.Context, n model.NodeID, d *tracker.Definition) (*model.Project, error) {
	l, err := tenantLoaders(ctx, n)
	if err != nil {
		return nil, err
	}
	return &model.Project{Project: &d.Project, Loaders: l}, nil
}

// definitionWith parses the id of what is defined in a project, and returns the project's definition. If the
// project does not exist, neither does what the id names.
func definitionWith(ctx context.Context, what, id string, parse func(string) (model.NodeID, error)) (
	model.NodeID, *tracker.Definition, error) {
	n, err := parseID(ctx, id, parse)
	if err != nil {
		return n, nil, err
	}
	d, err := lookUpDefinition(ctx, n)
	return n, d, asMissing(what, err)
}

func lookUpField(ctx context.Context, id string) (*model.CustomField, error) {
	n, d, err := definitionWith(ctx, "custom field", id, model.ParseFieldID)
	if err != nil {
		return nil, err
	}
	f, err := model.FieldOf(d, id)
	if err != nil {
		missing := tracker.Missing("custom field")
		missing.Outdated = tracker.Outdated(err)
		return nil, missing
	}
	return fieldOf(ctx, n, d, f)
}

func lookUpState(ctx context.Context, id string) (*model.State, error) {
	n, d, err := definitionWith(ctx, "state", id, model.ParseState)
	if err != nil {
		return nil, err
	}
	if state := (model.Project{Project: &d.Project}).StateByID(n.Choice); state != nil {
		return state, nil
	}
	return nil, tracker.Missing("state")
}

func lookUpOption(ctx context.Context, id string) (*model.Option, error) {
	n, d, err := definitionWith(ctx, "option", id, model.ParseOption)
	if err != nil {
		return nil, err
	}
	if f := d.Field(n.Field); f != nil {
		if option := (model.CustomField{Field: f, Definition: d}).Option(n.Choice); option != nil {
			return option, nil
		}
	}
	return nil, tracker.Missing("option")
}

func lookUpJob(ctx context.Context, id string) (*model.Job, error) {
	n, d, err := definitionWith(ctx, "job", id, model.ParseJobID)
	if err != nil {
		return nil, err
	}
	if job := d.Job(n.Job); job != nil {
		return model.NewJob(n.Tenant, n.Project, job), nil
	}
	return nil, tracker.Missing("job")
}

// startedJob returns the job that a change has started, or nil if it has started none. It reads the job only
// if that of the payload is selected. The change was made even if the job can't be read: the payload is
// complete but for it.
func startedJob(ctx context.Context, n model.NodeID, w TenantWrites) *model.Job {
	if !inPayload(ctx, "job") {
		return nil
	}
	job, err := w.StartedJob(ctx, n.Project)
	if err != nil {
		graphql.AddError(ctx, err)
	}
	if job == nil {
		return nil
	}
	return model.NewJob(n.Tenant, n.Project, job)
}

func fieldOf(ctx context.Context, n model.NodeID, d *tracker.Definition,
	f *tracker.Field) (*model.CustomField, error) {
	l, err := tenantLoaders(ctx, n)
	if err != nil {
		return nil, err
	}
	return &model.CustomField{Field: f, Definition: d, Loaders: l}, nil
}

// findIssueByKey looks up an issue by its key, such as FLEET-12.
func findIssueByKey(ctx context.Context, key string, consistent bool) (*model.Issue, error) {
	project, digits, found := strings.Cut(key, "-")
	num, err := strconv.ParseInt(digits, 10, 32)
	if !found || err != nil || digits[0] == '+' || digits[0] == '-' {
		return nil, tracker.Bad("key", "the key of an issue is that of its project, a hyphen and its "+
			"number, such as FLEET-12; got %q", key)
	}
	p, err := projectOfViewer(ctx, "key", project)
	if err != nil {
		return nil, asIssue(err)
	}
	return issueByNum(ctx, p, int32(num), consistent)
}

// lookUpIssue reads an issue and the definition of its project in parallel.
func lookUpIssue(ctx context.Context, id string, consistent bool) (*model.Issue, error) {
	n, err := parseIssueID(ctx, id)
	if err != nil {
		return nil, err
	}
	l, err := tenantLoaders(ctx, n)
	if err != nil {
		return nil, err
	}
	issue := &model.Issue{Loaders: l}
	var group errgroup.Group
	var definitionErr error
	group.Go(func() error {
		issue.Definition, definitionErr = l.Definition(ctx, n.Project)
		return nil
	})
	issue.Issue, err = l.Issue(ctx, n.Issue, consistent)
	group.Wait()
	switch {
	case err != nil:
		return nil, err
	case tracker.CodeOf(definitionErr) == tracker.NotFound:
		return nil, tracker.Missing("issue")
	case definitionErr != nil:
		return nil, definitionErr
	}
	issue.Issue = issue.Definition.Current(issue.Issue)
	return issue, nil
}

func lookUpNode(ctx context.Context, id string, consistent bool) (model.Node, error) {
	n, ok := model.ParseNodeID(id)
	switch {
	case !ok:
		return nil, tracker.Missing("object")
	case n.IsTenant():
		return lookedUp(lookUpTenant(ctx, id))
	case n.IsProject():
		return lookedUp(lookUpProject(ctx, id))
	case n.IsField():
		return lookedUp(lookUpField(ctx, id))
	case n.IsView():
		return lookedUp(lookUpView(ctx, id))
	case n.IsUser():
		return lookedUp(lookUpUser(ctx, id))
	case n.IsTeam():
		return lookedUp(lookUpTeam(ctx, id))
	case n.IsComment():
		return lookedUp(lookUpComment(ctx, id))
	case n.IsState():
		return lookedUp(lookUpState(ctx, id))
	case n.IsOption():
		return lookedUp(lookUpOption(ctx, id))
	case n.IsJob():
		return lookedUp(lookUpJob(ctx, id))
	}
	return lookedUp(lookUpIssue(ctx, id, consistent))
}

// lookedUp converts a typed nil pointer to a nil Node if there is an error.
func lookedUp[T model.Node](found T, err error) (model.Node, error) {
	if err != nil {
		return nil, err
	}
	return found, nil
}

// prefetchNodes starts to read the issues, the views and the comments among ids. Otherwise those of one call
// might be read in several batches, if the server is busy.
func prefetchNodes(ctx context.Context, ids []string, consistent bool) {
	issues, views := map[tracker.TenantID][]tracker.IssueID{}, map[tracker.TenantID][]tracker.ViewRef{}
	comments := map[tracker.TenantID][]tracker.CommentRef{}
	for _, id := range ids {
		if n, err := parseIssueID(ctx, id); err == nil && n.Issue.Valid() {
			issues[n.Tenant] = append(issues[n.Tenant], n.Issue)
		} else if n, err := parseViewID(ctx, id); err == nil {
			views[n.Tenant] = append(views[n.Tenant], n.ViewRef())
		} else if n, err := parseCommentID(ctx, id); err == nil {
			comments[n.Tenant] = append(comments[n.Tenant], n.Comment)
		}
	}
	for tenant, ids := range issues {
		if l, err := session(ctx).Reads.Tenant(tenant); err == nil {
			l.PrefetchIssues(ctx, ids, consistent)
		}
	}
	for tenant, refs := range comments {
		if l, err := session(ctx).Reads.Tenant(tenant); err == nil {
			l.Comments().Prefetch(ctx, refs)
			var of []tracker.IssueID
			for _, ref := range refs {
				of = append(of, ref.Issue)
			}
			l.PrefetchIssues(ctx, of, false)
		}
	}
	for tenant, refs := range views {
		if l, err := session(ctx).Reads.Tenant(tenant); err == nil {
			l.PrefetchViews(ctx, refs)
		}
	}
}

// lookUpNodes looks up all ids in parallel. An id of an object that does not exist yields null and an error
// at its index, and does not affect the others.
func lookUpNodes(ctx context.Context, ids []string, consistent bool) ([]model.Node, error) {
	if n := len(ids); n < 1 || n > maxNodes {
		return nil, tracker.Bad("ids", "%d ids; one call takes 1 to %d", n, maxNodes)
	}
	prefetchNodes(ctx, ids, consistent)
	nodes := make([]model.Node, len(ids))
	errs := make([]error, len(ids))
	var group errgroup.Group
	for i, id := range ids {
		if _, ok := model.ParseNodeID(id); !ok { // needs no goroutine
			errs[i] = tracker.Missing("object")
			continue
		}
		group.Go(func() error {
			nodes[i], errs[i] = lookUpNode(ctx, id, consistent)
			return nil
		})
	}
	group.Wait()
	for i, err := range errs {
		if err != nil {
			graphql.AddError(graphql.WithPathContext(ctx, graphql.NewPathWithIndex(i)),
				tracker.MissingAt("ids"+index(i), err))
		}
	}
	return nodes, nil
}

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

func parseJobID(ctx context.Context, id string) (model.NodeID, error) {
	return parseID(ctx, id, model.ParseJobID)
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
