"""Runs the operations of the front-end clients by what ariadne-codegen generates for Python.

Each optional variable and each optional member of an input that is not given is null. The server is at
ISSUEGRID_URL, and has the sample data and an empty project, ISSUEGRID_PROJECT, with a field of each type.
"""

import os

from generated import Client
from generated.enums import BuiltinColumn
from generated.input_types import (
    CreateIssueInput,
    CreateIssuesInput,
    CustomFieldFilter,
    CustomValueChangeInput,
    CustomValueInput,
    DeleteIssueInput,
    FloatFilter,
    IssueColumn,
    IssueCreateInput,
    IssueDeleteInput,
    IssueFilter,
    IssueOrder,
    IssueUpdateInput,
    NumFilter,
    OptionFilter,
    RestoreIssueInput,
    UpdateIssueInput,
    UpdateIssuesInput,
    ValueInput,
)


def of(model, **given):
    """Returns an input whose members are null unless they are given."""
    return model(**{name: None for name in model.model_fields} | given)


def same(what, want, got):
    if want != got:
        raise AssertionError(f"{what} is {got!r}, want {want!r}")


def named(found, name):
    return next(one for one in found if one.name == name)


client = Client(os.environ["ISSUEGRID_URL"])
own = os.environ["ISSUEGRID_PROJECT"]
plain = dict(after=None, last=None, before=None, order_by=None, where=None, time_zone=None)


def nums(page):
    return [edge.node.num for edge in page.project.issues.edges]


same("the role", "OPERATOR", client.viewer().viewer.role.value)
tenants = client.tenants(first=None, after=None).tenants
tenant = next(e.node.id for e in tenants.edges if e.node.name == "Northern Ferries")
projects = client.tenant_projects(tenant, first=None, after=None).tenant.projects
fleet = next(e.node.id for e in projects.edges if e.node.key == "FLEET")
cost = named(client.project_fields(fleet).project.fields, "Cost").id
by_cost = [of(IssueOrder, column=of(IssueColumn, field_id=cost))]
by_name = [of(IssueOrder, column=of(IssueColumn, builtin=BuiltinColumn.NAME))]

page = client.issue_page(fleet, cost, first=5, **plain)
same("the first rows", [1, 2, 3, 4, 5], nums(page))
where = of(IssueFilter, num=of(NumFilter, lte=100))
after = page.project.issues.page_info.end_cursor
page = client.issue_page(fleet, cost, first=2, **plain | dict(after=after, where=where))
same("the next rows", [6, 7], nums(page))
page = client.issue_page(fleet, cost, first=None, **plain | dict(last=3, order_by=by_cost))
same("rows at the end", 3, len(nums(page)))
where = of(
    IssueFilter,
    state=of(OptionFilter, eq="Done"),
    fields=[of(CustomFieldFilter, field_id=cost, number=of(FloatFilter, gte=1.0))],
)
count = client.issue_count(fleet, order_by=None, where=where).project.issues
same("a count", True, count.total_count > 0)
plan = client.explain(fleet, order_by=by_name, where=where).project.issues.explain
same("steps", True, len(plan.root.children) > 0)
at = client.cursor_at_issue(fleet, 7, order_by=None).project.cursor_at_issue
same("the row there", [7], nums(client.issue_page(fleet, cost, first=1, **plain | dict(after=at))))
at = client.cursor_at(fleet, of(ValueInput, number=10.0), order_by=by_cost).project.cursor_at
same("a cursor", str, type(at))

fields = client.project_fields(own).project.fields
hours, systems = named(fields, "Hours").id, named(fields, "Systems").id
values = [
    CustomValueInput(field_id=hours, value=of(ValueInput, integer="9007199254740993")),
    CustomValueInput(field_id=systems, value=of(ValueInput, options=["Hull"])),
]
one = of(IssueCreateInput, name="One", values=values)
issue = client.create_issue(of(CreateIssueInput, project_id=own, issue=one)).create_issue.issue
batch = [of(IssueCreateInput, name="Two"), of(IssueCreateInput, name=""), of(IssueCreateInput, name="Three", state="Closed")]
results = client.create_issues(of(CreateIssuesInput, project_id=own, issues=batch)).create_issues.results
same("the refused one", ("BAD_USER_INPUT", "input.issues[1].name"), (results[1].errors[0].code.value, results[1].errors[0].argument))
changes = [
    of(CustomValueChangeInput, field_id=hours, value=of(ValueInput, integer="-1")),
    of(CustomValueChangeInput, field_id=systems, add_options=["Engine"]),
]
change = of(IssueUpdateInput, id=issue.id, name="Changed", values=changes)
updated = client.update_issue(of(UpdateIssueInput, issue=change)).update_issue.issue
same("the version", issue.version + 1, updated.version)
same("the description", None, updated.description)
change = of(IssueUpdateInput, id=issue.id, name="Lost", expected_version=issue.version)
refused = client.try_update_issue(of(UpdateIssueInput, issue=change)).update_issue.errors[0]
same("the conflict", ("CONFLICT", "input.issue.expectedVersion", issue.version + 1), (refused.code.value, refused.argument, refused.conflict.current_version))
change = of(IssueUpdateInput, id=issue.id, name="Row")
same("the name", "Row", client.change_row(of(UpdateIssueInput, issue=change), hours).update_issue.issue.name)
changes = [of(IssueUpdateInput, id=r.issue.id, state="Closed") for r in results if r.issue]
changed = client.update_issues(of(UpdateIssuesInput, issues=changes)).update_issues.results
same("the states", ["Closed", "Closed"], [r.issue.state.name for r in changed])
detail = client.issue_detail(issue.id).issue
same("values", {"-1", "Hull, Engine"}, {v.display for v in detail.values if v})
same("the cell", "Hours", client.cell(issue.id, hours).issue.value.field.name)
same("nodes", [issue.id, own], [n.id for n in client.nodes([issue.id, own]).nodes])
same("changes", 3, len(client.history(issue.id, first=None, after=None).issue.history.edges))
deletion = of(DeleteIssueInput, issue=of(IssueDeleteInput, id=issue.id))
same("the deleted issue", issue.id, client.delete_issue(deletion).delete_issue.deleted_issue_id)
trash = client.trash(own, first=None, after=None).project.deleted_issues
same("the trash", [issue.id], [e.node.issue_id for e in trash.edges])
same("the restored issue", issue.id, client.restore_issue(of(RestoreIssueInput, id=issue.id)).restore_issue.issue.id)
print("all operations have run")
