package estimate

import (
	"strings"

	"github.com/vektah/gqlparser/v2/ast"

	"issuegrid/tracker"
)

// largestPage returns the maximum number of rows of a connection, or false if a field returns no connection.
// A field refuses a larger page.
func largestPage(f *ast.Field) (rows float64, ok bool) {
	switch of := f.Definition.Type.Name(); {
	case of == "IssueConnection":
		return MaxGridPage, true
	case strings.HasSuffix(of, "Connection"):
		return MaxListPage, true
	}
	return 0, false
}

// parallel has the fields that the generated executor resolves in separate goroutines, in parallel with their
// siblings.
var parallel = map[string]bool{
	"Query.node": true, "Query.nodes": true, "Query.tenant": true, "Query.tenants": true,
	"Query.project": true, "Query.issue": true, "Query.issueByKey": true, "Query.job": true,
	"Query.viewer":  true,
	"Viewer.tenant": true, "Viewer.readCapacity": true, "Viewer.writeCapacity": true, "Tenant.projects": true,
	"Viewer.projectByKey": true, "Tenant.projectByKey": true, "Project.stateByName": true,
	"Tenant.deletedProjects":     true,
	"CustomField.optionByName":   true,
	"Tenant.viewerCanAdminister": true,
	"Project.tenant":             true, "Project.field": true, "Project.fieldByName": true,
	"Project.fields": true, "Project.jobs": true,
	"Project.issueByNum": true, "Project.issues": true, "Project.cursorAt": true,
	"Project.cursorAtIssue": true,
	"Project.history":       true, "Project.activity": true,
	"Project.deletedIssues": true, "Project.views": true, "Project.view": true,
	"Project.defaultView": true, "Viewer.views": true, "View.issues": true, "View.groups": true,
	"ViewConnection.totalCount": true, "ViewConnection.totalCountPrecision": true,
	"Project.groups": true, "IssueGroup.issues": true, "IssueGroup.groups": true,
	"IssueGroupConnection.totalCount": true, "IssueGroupConnection.totalCountPrecision": true,
	"IssueGroup.totalCount": true, "IssueGroup.totalCountPrecision": true, "IssueGroup.summary": true,
	"IssueConnection.summary": true,
	"Project.viewerCanEdit":   true, "Project.viewerCanAdminister": true,
	"IssueConnection.totalCount": true, "IssueConnection.totalCountPrecision": true,
	"IssueConnection.totalCountCursor": true,
	"TenantConnection.totalCount":      true, "TenantConnection.totalCountPrecision": true,
	"ProjectConnection.totalCount": true, "ProjectConnection.totalCountPrecision": true,
	"DeletedProjectConnection.totalCount": true, "DeletedProjectConnection.totalCountPrecision": true,
	"DeletedIssueConnection.totalCount": true, "DeletedIssueConnection.totalCountPrecision": true,
	"IssueChangeConnection.totalCount": true, "IssueChangeConnection.totalCountPrecision": true,
	"ProjectChangeConnection.totalCount": true, "ProjectChangeConnection.totalCountPrecision": true,
	"ActivityConnection.totalCount": true, "ActivityConnection.totalCountPrecision": true,
	"Issue.description": true, "Issue.history": true,
	"Issue.values": true, "TextValue.display": true, "TextValue.text": true,
	"LongTextValue.display": true, "LongTextValue.text": true, "ColumnChange.before": true,
	"ColumnChange.after": true,
	"Tenant.users":       true, "Tenant.teams": true, "Viewer.user": true, "User.teams": true,
	"Team.members": true, "UserConnection.totalCount": true, "UserConnection.totalCountPrecision": true,
	"TeamConnection.totalCount": true, "TeamConnection.totalCountPrecision": true,
	"Viewer.issues": true, "User.issues": true, "Team.issues": true, "Issue.assignees": true,
	"Issue.watchers": true, "Issue.author": true, "Issue.lastEditor": true, "Actor.user": true,
	"UserValue.user":                     true,
	"Participation.participant":          true,
	"ParticipationConnection.totalCount": true, "ParticipationConnection.totalCountPrecision": true,
	"Issue.comments": true, "Issue.commentSummary": true, "Issue.commentLanguages": true,
	"Comment.parent": true, "Comment.author": true, "Comment.body": true, "Comment.edits": true,
	"Comment.mentions": true, "Comment.replies": true, "CommentConnection.totalCount": true,
	"CommentConnection.totalCountPrecision": true, "CommentEdit.body": true,
	"CommentEdit.replacedBy": true, "ReactionCount.users": true,
	"ReactionCount.viewerHasReacted": true,
}

// comments returns the cost of a field of comments, whose selection costs child. ok is false for other
// fields.
func comments(name string, arguments map[string]any, child Cost) (_ Cost, ok bool) {
	switch name {
	case "Comment.parent", "Comment.author", "Comment.body", "CommentEdit.body", "CommentEdit.replacedBy":
		child.Reads += PerItem
		return child, true
	case "Comment.mentions":
		child.Reads += PerItem
		return child.each(tracker.MaxMentions), true
	case "Comment.edits":
		child = child.each(tracker.MaxEdits)
		child.Reads += perEdits
		return child, true
	case "Comment.reactions":
		return child.each(float64(len(tracker.Reactions))), true
	case "ReactionCount.users":
		first, ok := integer(arguments["first"])
		if !ok || first < 0 || first > MaxListPage {
			first = MaxListPage
		}
		child.Reads += PerItem
		child = child.each(first)
		child.Reads += PerQuery
		return child, true
	case "Issue.commentSummary", "ReactionCount.viewerHasReacted":
		child.Reads += PerQuery
		return child, true
	case "Issue.commentLanguages":
		child = child.each(MaxListPage)
		child.Reads += PerQuery
		return child, true
	case "CommentConnection.totalCount", "CommentConnection.totalCountPrecision":
		return Cost{Reads: (1 + tracker.MaxRating) * perCount}, true
	}
	return child, false
}
