//go:build realdata

package e2e

import (
	"fmt"
	"maps"
	"os"
	"slices"
	"testing"

	"github.com/goccy/go-yaml"
)

// filterCase is a filter of a grid and the equivalent SQL.
type filterCase struct {
	// where is the filter as a GraphQL literal, with the names of fields, options and states instead of their
	// IDs.
	where string
	// sql is the condition after WHERE, on the tables of rowsDB. Filters use two-valued logic: `IS NOT` for
	// neq, COALESCE for negated conditions.
	sql string
	// by is the file's column that the grid is sorted by.
	by string
}

// named returns the filter as a variable, with names instead of IDs.
func (c *filterCase) named(t *testing.T) map[string]any {
	t.Helper()
	var out map[string]any
	if err := yaml.Unmarshal([]byte(c.where), &out); err != nil {
		t.Fatalf("%s: %v", c.where, err)
	}
	return out
}

var filterCases = []filterCase{
	// numbers
	{`{num: {eq: 245}}`, `number = 245`, "number"},
	{`{num: {in: [3, 1, 2, 99999, 1000, 1001, 250]}}`, `number IN (1, 2, 3, 99999, 1000, 1001, 250)`,
		"summary"},
	{`{num: {lt: 300, neq: 7}}`, `number < 300 AND number <> 7`, "priority"},
	{`{num: {between: {from: 100, to: 400}, notIn: [101, 102, 103]}}`,
		`number BETWEEN 100 AND 400 AND number NOT IN (101, 102, 103)`, "created"},
	{`{num: {gte: 1200, lte: 1300}}`, `number >= 1200 AND number <= 1300`, "number"},
	{`{num: {gt: 28000}}`, `number > 28000`, "days_to_resolve"},
	{`{num: {between: {from: 9, to: 3}}}`, `FALSE`, "number"},
	{`{num: {in: []}}`, `FALSE`, "summary"},

	// integers
	{`{fields: [{field: "Comments", integer: {gt: 25}}]}`, `comment_total > 25`, "comment_total"},
	{`{fields: [{field: "Links", integer: {eq: 5}}]}`, `link_count = 5`, "updated"},
	{`{fields: [{field: "Attachments", integer: {in: [7, 8, 9, 13]}}]}`, `attachment_count IN (7, 8, 9, 13)`,
		"attachment_bytes"},
	{`{fields: [{field: "Attachment bytes", integer: {between: {from: "1000000", to: "2000000"}}}]}`,
		`attachment_bytes BETWEEN 1000000 AND 2000000`, "attachment_bytes"},
	{`{fields: [{field: "Sprints", integer: {gte: 3, neq: 4}}]}`,
		`sprint_count >= 3 AND sprint_count IS NOT 4`, "sprint_start"},
	{`{fields: [{field: "Attachment bytes", integer: {lte: 500}}]}`, `attachment_bytes <= 500`, "summary"},
	{`{fields: [{field: "Jira id", integer: {lt: 60000}}]}`, `jira_id < 60000`, "reporter"},
	{`{fields: [{field: "Sub-tasks", integer: {notIn: [0, 1]}}]}`,
		`COALESCE(subtask_count NOT IN (0, 1), TRUE)`, "subtask_count"},
	{`{fields: [{field: "Attachment bytes", integer: {isNull: false, lt: 2000, gt: 100}}]}`,
		`attachment_bytes < 2000 AND attachment_bytes > 100`, "status"},

	// numbers of double precision
	{`{fields: [{field: "Days to resolve", number: {lt: 0.05}}]}`, `days_to_resolve < 0.05`,
		"days_to_resolve"},
	{`{fields: [{field: "Days to resolve", number: {between: {from: 100, to: 110.5}}}]}`,
		`days_to_resolve BETWEEN 100 AND 110.5`, "resolved"},
	{`{fields: [{field: "Days to resolve", number: {gte: 1500}}]}`, `days_to_resolve >= 1500`, "assignee"},
	{`{fields: [{field: "Days to resolve", number: {in: [0.001, 0.002, 0.003, 1]}}]}`,
		`days_to_resolve IN (0.001, 0.002, 0.003, 1)`, "number"},
	{`{fields: [{field: "Days to resolve", number: {eq: 0}}]}`, `days_to_resolve = 0`, "created"},
	{
		`{fields: [{field: "Days to resolve", number: {lte: 0.001, notIn: [0]}}, {field: "Comments", integer: {neq: 0}}]}`,
		`days_to_resolve <= 0.001 AND days_to_resolve NOT IN (0) AND comment_total IS NOT 0`,
		"comment_total"},
	{
		`{fields: [{field: "Days to resolve", number: {gt: 700, neq: 701.5}}, {field: "Priority", option: {in: ["Critical"]}}]}`,
		`days_to_resolve > 700 AND days_to_resolve IS NOT 701.5 AND priority IN ('Critical')`, "priority"},
	{
		`{fields: [{field: "Days to resolve", number: {isNull: true}}, {field: "Comments", integer: {isNull: false}}], state: {isNull: false, neq: "Open"}}`,
		`days_to_resolve IS NULL AND status <> 'Open'`, "days_to_resolve"},

	// dates
	{`{fields: [{field: "Released", date: {eq: "2012-12-13"}}]}`, `fix_version_release_date = '2012-12-13'`,
		"resolved"},
	{`{fields: [{field: "Released", date: {lt: "2010-07-01"}}]}`, `fix_version_release_date < '2010-07-01'`,
		"fix_version_release_date"},
	{`{fields: [{field: "Released", date: {gte: "2021-01-20"}}]}`, `fix_version_release_date >= '2021-01-20'`,
		"fix_version_release_date"},
	{
		`{fields: [{field: "Released", date: {between: {from: "2017-12-01", to: "2018-04-09"}, neq: "2017-12-05"}}]}`,
		`fix_version_release_date BETWEEN '2017-12-01' AND '2018-04-09' AND fix_version_release_date <> '2017-12-05'`,
		"sprint"},
	{`{fields: [{field: "Released", date: {in: ["2016-11-14", "2016-08-11", "1999-01-01"]}}]}`,
		`fix_version_release_date IN ('2016-11-14', '2016-08-11', '1999-01-01')`, "status"},
	{`{fields: [{field: "Released", date: {gt: "2019-01-01", lte: "2019-11-07"}}]}`,
		`fix_version_release_date > '2019-01-01' AND fix_version_release_date <= '2019-11-07'`, "component"},
	{
		`{fields: [{field: "Released", date: {isNull: true, notIn: ["2012-12-13"]}}, {field: "Resolution", option: {eq: "Fixed"}}]}`,
		`fix_version_release_date IS NULL AND resolution = 'Fixed'`, "last_comment"},

	// datetimes
	{`{createdAt: {lt: "2010-03-01T00:00:00Z"}}`, `created < unixepoch('2010-03-01') * 1000000`, "created"},
	{`{createdAt: {between: {from: "2013-05-01T02:00:00+02:00", to: "2013-06-01T00:00:00Z"}}}`,
		`created BETWEEN unixepoch('2013-05-01') * 1000000 AND unixepoch('2013-06-01') * 1000000`, "updated"},
	{`{updatedAt: {gte: "2021-06-01T00:00:00Z"}}`, `updated >= unixepoch('2021-06-01') * 1000000`, "updated"},
	{
		`{updatedAt: {gt: "2019-01-01T00:00:00Z", lte: "2019-03-01T00:00:00Z"}, createdAt: {gt: "2018-01-01T00:00:00Z"}}`,
		`updated > unixepoch('2019-01-01') * 1000000 AND updated <= unixepoch('2019-03-01') * 1000000 AND created > unixepoch('2018-01-01') * 1000000`,
		"component"},
	{`{fields: [{field: "Resolved", dateTime: {lt: "2010-06-01T00:00:00Z"}}]}`,
		`resolved < unixepoch('2010-06-01') * 1000000`, "days_to_resolve"},
	{`{fields: [{field: "Sprint start", dateTime: {gt: "2020-06-01T00:00:00.5Z"}}]}`,
		`sprint_start > unixepoch('2020-06-01') * 1000000 + 500000`, "sprint_end"},
	{`{fields: [{field: "Last comment", dateTime: {isNull: true}}]}`, `last_comment IS NULL`, "last_comment"},
	{
		`{fields: [{field: "Sprint end", dateTime: {isNull: true, neq: "2015-01-01T00:00:00Z"}}, {field: "Sprint", option: {isNull: false}}]}`,
		`sprint_end IS NULL AND sprint IS NOT NULL`, "sprint"},
	{
		`{fields: [{field: "Sprint start", dateTime: {in: ["2012-09-27T05:26:46.636Z", "2018-02-25T19:38:08.926Z"]}}]}`,
		`sprint_start IN (1348723606636000, 1519587488926000)`, "sprint_start"},
	{
		`{fields: [{field: "Resolved", dateTime: {notIn: ["2014-01-01T00:00:00Z"]}}], createdAt: {lt: "2010-02-01T00:00:00Z", notIn: ["2009-01-01T00:00:00Z"]}}`,
		`COALESCE(resolved NOT IN (unixepoch('2014-01-01') * 1000000), TRUE) AND created < unixepoch('2010-02-01') * 1000000`,
		"resolved"},
	{`{createdAt: {eq: "2011-05-02T06:48:54Z"}}`, `created = unixepoch('2011-05-02 06:48:54') * 1000000`,
		"summary"},

	// texts
	{`{name: {startsWith: "ANDROID: cra"}}`, `instr(summary, 'android: cra') = 1`, "summary"},
	{`{name: {contains: "Memory Leak"}}`, `instr(summary, 'memory leak')`, "created"},
	{`{name: {gte: "zz"}}`, `summary >= 'zz'`, "number"},
	{`{name: {lt: "["}}`, `summary < '['`, "summary"},
	{`{name: {between: {from: "map", to: "maq"}}}`, `summary BETWEEN 'map' AND 'maq'`, "resolution"},
	{`{name: {gt: "titanium", lte: "titanium b"}}`, `summary > 'titanium' AND summary <= 'titanium b'`,
		"updated"},
	{`{name: {isNull: true}}`, `FALSE`, "number"},
	{`{description: {isNull: true}, name: {contains: "crash"}}`,
		`description IS NULL AND instr(summary, 'crash')`, "summary"},
	{`{description: {startsWith: "h3. steps"}}`, `instr(description, 'h3. steps') = 1`, "assignee_name"},
	{`{fields: [{field: "Environment", text: {startsWith: "nexus"}}]}`, `instr(environment, 'nexus') = 1`,
		"resolution"},
	{`{fields: [{field: "Reporter name", text: {in: ["ewan HARRIS", "Hans Knochel", "nobody"]}}]}`,
		`reporter_name IN ('ewan harris', 'hans knochel', 'nobody')`, "assignee_name"},
	{`{fields: [{field: "Key", text: {startsWith: "aloy-1"}}]}`, `instr(issue_key, 'aloy-1') = 1`,
		"issue_key"},
	{`{fields: [{field: "Epic", text: {isNull: false}}]}`, `epic_key IS NOT NULL`, "epic_key"},
	{`{fields: [{field: "Epic name", text: {contains: "android", neq: "Implement Android N Support"}}]}`,
		`instr(epic_name, 'android') AND epic_name <> 'implement android n support'`, "epic_name"},
	{`{fields: [{field: "Parent", text: {lt: "TIMOB"}}]}`, `parent_key < 'timob'`, "parent_key"},
	{`{fields: [{field: "Parent", text: {notIn: ["TIMOB-8652"], isNull: false}}]}`,
		`parent_key NOT IN ('timob-8652')`, "epic_name"},
	{`{fields: [{field: "Reporter name", text: {eq: "HANS KNÖCHEL"}}]}`, `reporter_name = 'hans knochel'`,
		"resolution"},
	{`{fields: [{field: "Environment", text: {eq: "iOS"}}]}`, `environment = 'ios'`, "created"},
	{`{fields: [{field: "Environment", text: {in: ["Android", "ios", "n/a"], neq: "IOS"}}]}`,
		`environment IN ('android', 'n/a')`, "summary"},
	{
		`{fields: [{field: "Environment", text: {between: {from: "m", to: "n"}, notIn: ["mac", "Mac OS X"]}}], num: {lt: 3000}}`,
		`environment BETWEEN 'm' AND 'n' AND environment NOT IN ('mac', 'mac os x') AND number < 3000`,
		"number"},
	{`{description: {lt: "a", gt: "9"}, num: {gt: 500, lt: 3500}}`,
		`description < 'a' AND description > '9' AND number > 500 AND number < 3500`, "updated"},
	{`{description: {lte: "!", gte: " "}, num: {lt: 6000}}`,
		`description <= '!' AND description >= ' ' AND number < 6000`, "days_to_resolve"},
	{
		`{fields: [{field: "Environment", text: {contains: "nexus", isNull: false}}], createdAt: {gt: "2013-10-01T00:00:00Z"}}`,
		`instr(environment, 'nexus') AND created > unixepoch('2013-10-01') * 1000000`, "comment_total"},

	// persons
	{`{fields: [{field: "Assignee", user: {eq: "EHARRIS"}}]}`, `assignee = 'eharris'`, "created"},
	{`{fields: [{field: "Reporter", user: {in: ["cbarber", "topener", "fcasali"]}}]}`,
		`reporter IN ('cbarber', 'topener', 'fcasali')`, "assignee"},
	{`{fields: [{field: "Reporter", user: {startsWith: "m"}}]}`, `instr(reporter, 'm') = 1`, "reporter"},
	{`{fields: [{field: "Creator", user: {isNull: true}}]}`, `creator IS NULL`, "creator"},
	{`{fields: [{field: "Creator", user: {gt: "w", notIn: ["wluu"]}}]}`,
		`creator > 'w' AND creator NOT IN ('wluu')`, "reporter_time_zone"},
	{`{fields: [{field: "Assignee", user: {contains: "vij"}}]}`, `instr(assignee, 'vij')`,
		"fix_version_release_date"},
	{`{fields: [{field: "Assignee", user: {between: {from: "k", to: "l"}, neq: "kiguchi"}}]}`,
		`assignee BETWEEN 'k' AND 'l' AND assignee <> 'kiguchi'`, "assignee"},
	{`{fields: [{field: "Reporter", user: {lt: "Ab"}}, {field: "Creator", user: {lte: "aB"}}]}`,
		`reporter < 'ab' AND creator <= 'ab'`, "creator"},
	{`{fields: [{field: "Reporter", user: {gte: "y"}}, {field: "Assignee", user: {neq: "ingo"}}]}`,
		`reporter >= 'y' AND assignee IS NOT 'ingo'`, "reporter"},

	// truth values
	{`{fields: [{field: "Flagged", boolean: {eq: true}}]}`, `flagged = TRUE`, "flagged"},
	{
		`{fields: [{field: "Assignee active", boolean: {eq: false}}, {field: "Type", option: {eq: "Improvement"}}]}`,
		`assignee_active = FALSE AND issue_type = 'Improvement'`, "assignee_active"},
	{`{fields: [{field: "Assignee active", boolean: {neq: true}}, {field: "Type", option: {eq: "Story"}}]}`,
		`assignee_active IS NOT TRUE AND issue_type = 'Story'`, "assignee_active"},
	{
		`{fields: [{field: "Assignee active", isNull: true}, {field: "Assignee active", boolean: {isNull: true}}], state: {neq: "Closed"}}`,
		`assignee_active IS NULL AND status <> 'Closed'`, "status"},

	// choices
	{`{state: {eq: "Reopened"}}`, `status = 'Reopened'`, "status"},
	{`{state: {in: ["In Progress", "Reopened"]}}`, `status IN ('In Progress', 'Reopened')`, "priority"},
	{`{state: {notIn: ["Closed", "Resolved"]}, fields: [{field: "Priority", option: {neq: "Medium"}}]}`,
		`status NOT IN ('Closed', 'Resolved') AND priority IS NOT 'Medium'`, "number"},
	{
		`{fields: [{field: "Priority", option: {eq: "Critical"}}, {field: "Type", option: {in: ["Improvement", "New Feature"]}}]}`,
		`priority = 'Critical' AND issue_type IN ('Improvement', 'New Feature')`, "priority"},
	{`{fields: [{field: "Priority", option: {neq: "High"}}, {field: "Resolution", option: {isNull: true}}]}`,
		`priority IS NOT 'High' AND resolution IS NULL`, "priority"},
	{
		`{fields: [{field: "Priority", option: {notIn: ["None", "Low", "Medium", "High"]}}, {field: "Resolution", option: {eq: "Duplicate"}}]}`,
		`COALESCE(priority NOT IN ('None', 'Low', 'Medium', 'High'), TRUE) AND resolution = 'Duplicate'`,
		"created"},
	{`{fields: [{field: "Component", option: {eq: "Tooling"}}]}`, `component = 'Tooling'`, "component"},

	// sets
	{`{fields: [{field: "Labels", tags: {hasAny: ["Regression", "cb-next"]}}]}`,
		`id IN (SELECT issue FROM labels WHERE member IN ('regression', 'cb-next'))`, "resolved"},
	{`{fields: [{field: "Labels", tags: {hasAll: ["android", "ios"]}}]}`,
		`id IN (SELECT issue FROM labels WHERE member = 'android') AND id IN (SELECT issue FROM labels WHERE member = 'ios')`,
		"summary"},
	{`{fields: [{field: "Labels", tags: {hasAny: ["parity"], hasNone: ["android", "ios", "api"]}}]}`,
		`id IN (SELECT issue FROM labels WHERE member = 'parity') AND id NOT IN (SELECT issue FROM labels WHERE member IN ('android', 'ios', 'api'))`,
		"priority"},
	{`{fields: [{field: "Labels", tags: {hasNone: ["android"]}}, {field: "Comments", integer: {gte: 18}}]}`,
		`id NOT IN (SELECT issue FROM labels WHERE member = 'android') AND comment_total >= 18`,
		"comment_total"},
	{`{fields: [{field: "Labels", tags: {isNull: true}}, {field: "Type", option: {eq: "Sub-task"}}]}`,
		`id NOT IN (SELECT issue FROM labels) AND issue_type = 'Sub-task'`, "number"},
	{`{fields: [{field: "Labels", tags: {hasAny: []}}]}`, `FALSE`, "created"},
	{`{fields: [{field: "Fix versions", tags: {hasAny: ["release 9.0.0"]}}]}`,
		`id IN (SELECT issue FROM fix_versions WHERE member = 'release 9.0.0')`, "fix_version_release_date"},
	{
		`{fields: [{field: "Fix versions", tags: {isNull: false}}, {field: "Resolution", option: {isNull: true}}]}`,
		`id IN (SELECT issue FROM fix_versions) AND resolution IS NULL`, "updated"},
	{`{fields: [{field: "Components", options: {hasAny: ["Tooling"]}}]}`,
		`id IN (SELECT issue FROM components WHERE member = 'Tooling')`, "component"},
	{`{fields: [{field: "Components", options: {hasAll: ["Android", "iOS"], hasNone: ["Windows"]}}]}`,
		`id IN (SELECT issue FROM components WHERE member = 'Android') AND id IN (SELECT issue FROM components WHERE member = 'iOS')
			AND id NOT IN (SELECT issue FROM components WHERE member = 'Windows')`, "created"},
	{`{fields: [{field: "Components", options: {isNull: true}}, {field: "Links", integer: {gt: 1}}]}`,
		`id NOT IN (SELECT issue FROM components) AND link_count > 1`, "link_count"},
	{`{fields: [{field: "Affects versions", options: {hasAny: ["Release 5.2.0", "Release 6.0.0"]}}]}`,
		`id IN (SELECT issue FROM affects_versions WHERE member IN ('Release 5.2.0', 'Release 6.0.0'))`,
		"days_to_resolve"},

	// and, or, not
	{`{and: [{}, {or: [{}]}], num: {lte: 4000}}`, `number <= 4000`, "sprint"},
	{`{not: {}}`, `FALSE`, "number"},
	{`{or: []}`, `FALSE`, "summary"},
	{`{and: [], num: {lte: 120}}`, `number <= 120`, "status"},
	{`{or: [{num: {lt: 50}}, {fields: [{field: "Comments", integer: {gt: 30}}]}]}`,
		`number < 50 OR comment_total > 30`, "comment_total"},
	{
		`{or: [{state: {eq: "In Progress"}}, {fields: [{field: "Resolution", option: {eq: "Done"}}]}, {name: {startsWith: "epic"}}]}`,
		`status = 'In Progress' OR COALESCE(resolution = 'Done', FALSE) OR instr(summary, 'epic') = 1`,
		"created"},
	{`{not: {fields: [{field: "Resolution", option: {isNull: false}}]}}`, `resolution IS NULL`,
		"days_to_resolve"},
	{
		`{not: {or: [{fields: [{field: "Assignee", user: {isNull: false}}]}, {fields: [{field: "Type", option: {eq: "Bug"}}]}]}}`,
		`NOT (assignee IS NOT NULL OR issue_type = 'Bug')`, "created"},
	{`{not: {fields: [{field: "Released", date: {lt: "2020-01-01"}}]}, state: {eq: "Resolved"}}`,
		`NOT COALESCE(fix_version_release_date < '2020-01-01', FALSE) AND status = 'Resolved'`,
		"fix_version_release_date"},
	{
		`{not: {and: [{fields: [{field: "Labels", tags: {hasNone: ["regression"]}}]}, {fields: [{field: "Priority", option: {neq: "Critical"}}]}]}, createdAt: {gte: "2018-01-01T00:00:00Z"}}`,
		`NOT (id NOT IN (SELECT issue FROM labels WHERE member = 'regression') AND priority IS NOT 'Critical') AND created >= unixepoch('2018-01-01') * 1000000`,
		"priority"},
	{
		`{and: [{or: [{fields: [{field: "Labels", tags: {hasAny: ["android"]}}]}, {name: {contains: "android"}}]}, {or: [{fields: [{field: "Comments", integer: {gte: 12}}]}, {fields: [{field: "Links", integer: {gte: 4}}]}]}]}`,
		`(id IN (SELECT issue FROM labels WHERE member = 'android') OR instr(summary, 'android')) AND (comment_total >= 12 OR link_count >= 4)`,
		"last_comment"},
	{
		`{or: [{and: [{fields: [{field: "Type", option: {eq: "Epic"}}]}, {state: {eq: "Closed"}}]}, {and: [{fields: [{field: "Sprints", integer: {gte: 4}}]}, {not: {state: {eq: "Closed"}}}]}]}`,
		`issue_type = 'Epic' AND status = 'Closed' OR sprint_count >= 4 AND NOT status = 'Closed'`,
		"sprint_count"},
	{
		`{or: [{fields: [{field: "Sprint", option: {isNull: true}}, {field: "Resolution", option: {isNull: true}}, {field: "Priority", option: {eq: "Critical"}}]}, {fields: [{field: "Attachments", integer: {gt: 10}}]}]}`,
		`sprint IS NULL AND resolution IS NULL AND COALESCE(priority = 'Critical', FALSE) OR attachment_count > 10`,
		"attachment_count"},
	{
		`{fields: [{field: "Assignee", user: {startsWith: "c"}}, {field: "Reporter", user: {startsWith: "c"}}, {field: "Released", date: {gte: "2017-01-01"}}]}`,
		`instr(assignee, 'c') = 1 AND instr(reporter, 'c') = 1 AND fix_version_release_date >= '2017-01-01'`,
		"fix_version_release_date"},
	{`{not: {not: {not: {fields: [{field: "Attachments", integer: {lt: 5}}]}}}}`,
		`NOT COALESCE(attachment_count < 5, FALSE)`, "attachment_bytes"},
	{`{not: {description: {contains: "the"}}, createdAt: {lt: "2011-01-01T00:00:00Z"}}`,
		`NOT COALESCE(instr(description, 'the'), FALSE) AND created < unixepoch('2011-01-01') * 1000000`,
		"summary"},
	{
		`{or: [{description: {contains: "memory leak"}}, {name: {contains: "memory leak"}}], createdAt: {gte: "2014-01-01T00:00:00Z"}}`,
		`(COALESCE(instr(description, 'memory leak'), FALSE) OR instr(summary, 'memory leak')) AND created >= unixepoch('2014-01-01') * 1000000`,
		"component"},

	// many rows
	{`{fields: [{field: "Resolution", option: {eq: "Fixed"}}]}`, `resolution = 'Fixed'`,
		"fix_version_release_date"},
	{`{fields: [{field: "Priority", option: {neq: "High"}}]}`, `priority IS NOT 'High'`, "priority"},
	{
		`{fields: [{field: "Labels", tags: {hasNone: ["android", "ios"]}}], state: {eq: "Closed"}, createdAt: {lt: "2011-09-01T00:00:00Z"}}`,
		`id NOT IN (SELECT issue FROM labels WHERE member IN ('android', 'ios')) AND status = 'Closed' AND created < unixepoch('2011-09-01') * 1000000`,
		"updated"},
	{`{description: {contains: "crash"}, num: {lt: 5000}}`, `instr(description, 'crash') AND number < 5000`,
		"created"},
}

// checkFilters compares filtered grids with SQL on the same rows. In each project a case is walked in one of
// the four orders of its column, in rotation, so that four projects cover all four. If a small project is the
// only one, it takes two opposite orders. A big project takes every fourth case, and AC every second, unless
// it is the only one. The walks of a big project end after two incomplete pages, because each of those reads
// 2,000 documents. If the environment variable ISSUEGRID_ALL_ORDERS is set, every project takes every case,
// in all four orders and to the end.
func checkFilters(t *testing.T, a *api, file *table, projects map[string]*project) {
	rows := openRows(t, file, projects)
	var queue filterWalks
	keys, left, all := slices.Sorted(maps.Keys(file.rows)), 0, os.Getenv("ISSUEGRID_ALL_ORDERS") != ""
	for n, c := range filterCases {
		named := c.named(t)
		for at, key := range keys {
			p := projects[key]
			where, err := withIDs(p, named)
			if err != nil {
				left++ // the file has no such option in this project
				continue
			}
			turn, big := (n+at)%4, len(file.rows[key]) >= bigProject && !all
			issues, alone := len(file.rows[key]), len(keys) == 1
			if !all && !alone && (big && n%4 != 1 || issues > smallProject && n%2 != 1) {
				continue
			}
			for way := range 4 {
				other := alone && issues <= smallProject && way == 3-turn
				if way != turn && !other && !all {
					continue
				}
				by := sortBy{rows.column(c.by), way&1 > 0, way&2 > 0}
				name := fmt.Sprintf("%s: %s, that is %s, by %s", key, c.where, c.sql, by)
				w := filterWalk{api: a, name: name, project: p, where: where, by: by, patient: !big,
					count: way == turn}
				queue.add(w, func() []int { return rows.numbers(t, key, c.sql, nil, by) })
			}
		}
	}
	checkOperators(t, rows)
	queue.run(t)
	t.Logf("%d filters in %d projects, %d left out for options that their project has not; %v",
		len(filterCases), len(keys), left, &queue)
	if pairs := len(filterCases) * len(keys); left > pairs/4 || queue.rows.Load() < int64(10*pairs) {
		t.Error("too few of them tell something")
	}
	t.Run("random", func(t *testing.T) { checkRandomFilters(t, a, rows, file, projects) })
	t.Run("orders, groups and summaries", func(t *testing.T) { checkQueries(t, a, rows, file, projects) })
}

// smallProject is the maximum number of issues of a project that takes all orders when it is the only one.
// bigProject is the minimum number of issues of a project whose walks may end early.
const smallProject, bigProject = 2000, 10_000
