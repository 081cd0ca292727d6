package check

import (
	"fmt"
	"slices"
	"strings"

	"issuegrid/dynamo/internal/layout"
	"issuegrid/tracker"
)

// FindingKind is a kind of violation of the invariants.
type FindingKind string

// The kinds of findings. The variable kinds contains their meanings, and whether they can be repaired.
const (
	KindForeign        FindingKind = "key of another tenant"
	KindKey            FindingKind = "unknown item"
	KindItem           FindingKind = "damaged item"
	KindParent         FindingKind = "missing parent"
	KindField          FindingKind = "value of an unknown field"
	KindValue          FindingKind = "invalid value"
	KindNumber         FindingKind = "duplicate number"
	KindProjectKey     FindingKind = "duplicate project key"
	KindText           FindingKind = "lost long text"
	KindHistoryText    FindingKind = "lost long text of a history"
	KindTextExpires    FindingKind = "long text that expires"
	KindExcerpt        FindingKind = "missing or wrong excerpt"
	KindHas            FindingKind = "`has` does not match the values"
	KindSortString     FindingKind = "wrong sort string"
	KindIndexing       FindingKind = "index not up to date"
	KindEntryMissing   FindingKind = "missing index entry"
	KindEntryWrong     FindingKind = "wrong index entry"
	KindEntryExtra     FindingKind = "extra index entry"
	KindEntryVersion   FindingKind = "index entry of a future version"
	KindMarker         FindingKind = "unnecessary marker"
	KindGhost          FindingKind = "index entry without issue"
	KindTextStays      FindingKind = "replaced long text that does not expire"
	KindOrphan         FindingKind = "unreferenced long text"
	KindCommentExpires FindingKind = "comment that expires"
	KindComment        FindingKind = "entries or counts of comments"
	KindCommentRest    FindingKind = "item without comment"
	KindActivity       FindingKind = "missing activity"
	KindTag            FindingKind = "tag not listed"
	KindTagUnused      FindingKind = "unused tag"
	KindCounter        FindingKind = "counter too low"
	KindGuard          FindingKind = "name not guarded"
	KindGuardStray     FindingKind = "guard without owner"
)

// kinds contains all kinds in the order in which they are reported and repaired. The repair of a kind may
// require that earlier kinds are repaired.
var kinds = []struct {
	kind       FindingKind
	means      string
	repairable bool
}{
	{KindForeign, "a sort key names a tenant other than that of its partition: a tenant's row could be in " +
		"another's index", false},
	{KindKey, "an item with a key that this server never writes", false},
	{KindItem, "an item that is not as the server writes it; readers may misread it", false},
	{KindParent, "an issue or a field without its project, an issue without its shard, or a project " +
		"without its tenant", false},
	{KindField, "an issue has a value of a field that its project does not have; it is not shown", false},
	{KindValue, "an issue has a value, or a state, that its definition does not allow", false},
	{KindNumber, "issues of one project have the same number; one of them is hidden wherever issues are " +
		"found by number", false},
	{KindProjectKey, "projects of one tenant have the same key", false},
	{KindText, "an issue, or one in the trash, refers to a long text that is incomplete or different", false},
	{KindHistoryText, "the history of an issue refers to a long text that is incomplete or different", false},
	{KindTextExpires, "DynamoDB is going to remove a long text that an issue refers to", true},
	{KindExcerpt, "a grid shows no beginning of a long text, or a wrong one; texts that an earlier version " +
		"stored have none", true},
	{KindHas, "filters on whether a field has a value find the wrong rows", true},
	{KindSortString, "a row is in the wrong place of a list or a grid", true},
	{KindIndexing, "a change of an issue was committed, but interrupted before the index was updated: its " +
		"rows are in old places", true},
	{KindEntryMissing, "a value has no index entry: its row is missing where a grid is sorted or filtered " +
		"by it", true},
	{KindEntryWrong, "an index entry has a value other than the issue's: its row is in the wrong place",
		true},
	{KindEntryExtra, "an index entry of a value that the issue does not have: its row is in the wrong " +
		"place", true},
	{KindEntryVersion, "an index entry has a version that its issue has not reached", true},
	{KindMarker, "an issue is marked as being indexed, but is not", true},
	{KindGhost, "an index entry of an issue that does not exist: pages read it and skip it", true},
	{KindTextStays, "a long text to which only the history of an issue refers would remain after the " +
		"history expires: it only takes up space", true},
	{KindOrphan, "a long text without references for over an hour: it only takes up space", true},
	{KindCommentExpires, "DynamoDB is going to remove an item of a comment of an issue", true},
	{KindComment, "an entry of a comment is missing or wrong, or its numbers of replies or reactions, or " +
		"the counts of the comments of its issue: lists and counts of comments are wrong", true},
	{KindCommentRest, "an entry, a reply, a text or a reaction of a comment that does not exist, or a " +
		"comment of an issue that does not: it only takes up space", true},
	{KindActivity, "a change or a comment is missing in the activity of its project; those that an earlier " +
		"version stored have none", true},
	{KindTag, "an issue has a tag that the list of the tags of its field does not have: groups by the " +
		"field lack it; tags that an earlier version stored are not listed", true},
	{KindTagUnused, "a tag was listed over an hour ago, and no issue has it any more: groups by its field " +
		"read it and skip it; only --repair looks for it", true},
	{KindCounter, "the next issue would get a number that exists, or no issue could be created", true},
	{KindGuard, "a second project could get the same key, a second tenant, field or team the same name, " +
		"or a second user the same e-mail address or claim, or another owner holds the guard", true},
	{KindGuardStray, "a key, a name, an e-mail address or a claim cannot be used because of a guard whose " +
		"owner does not exist, or has another one", true},
}

// rank returns the index of k in kinds.
func (k FindingKind) rank() int {
	for i := range kinds {
		if kinds[i].kind == k {
			return i
		}
	}
	panic("dynamo: no such kind of findings: " + string(k))
}

func (k FindingKind) repairable() bool { return kinds[k.rank()].repairable }

// Finding is a violation of an invariant by an item.
type Finding struct {
	Kind FindingKind
	// Key is the key of the damaged or missing item.
	Key layout.Key
	// Column is the affected column, if the key does not contain it.
	Column tracker.Column
	// Issue is the key of the affected issue, such as FLEET-12, if it is known.
	Issue string
	// Detail is a description for people.
	Detail string
}

// String returns the finding as a line of a report.
func (f Finding) String() string {
	text := f.Key.PK + " " + f.Key.SK
	if f.Issue != "" {
		text = f.Issue + ", " + text
	}
	if f.Column != "" {
		text += " " + string(f.Column)
	}
	if f.Detail != "" {
		text += ": " + f.Detail
	}
	return text
}

// identity returns the part of a finding that identifies it when it is found again.
func (f Finding) identity() Finding {
	f.Issue, f.Detail = "", ""
	return f
}

// examples is the maximum number of findings of a kind in a report.
const examples = 5

// Report is the result of a check.
type Report struct {
	// Items, Projects and Issues are the numbers of items, projects and issue documents that were checked.
	Items, Projects, Issues int
	// InProgress is the number of issues not checked because a change of them was in progress, or was
	// interrupted within the last minutes.
	InProgress int
	// Kinds contains the kinds that were found, in the order of kinds.
	Kinds []KindReport
}

// KindReport is the findings of one kind.
type KindReport struct {
	Kind FindingKind
	// Means describes the violation in a sentence.
	Means string
	// Repairable reports whether a check with Repair can repair the kind.
	Repairable bool
	// Found is the number of findings, Repaired the number of those that were repaired.
	Found, Repaired int
	// Examples contains the first few findings.
	Examples []Finding
}

// Repairable reports whether a check with Repair can repair any of the findings that are left.
func (r *Report) Repairable() bool {
	return slices.ContainsFunc(r.Kinds, func(k KindReport) bool {
		return k.Repairable && k.Repaired < k.Found
	})
}

// Left returns the number of findings that were not repaired.
func (r *Report) Left() int {
	left := 0
	for _, k := range r.Kinds {
		left += k.Found - k.Repaired
	}
	return left
}

// String returns the report for people.
func (r *Report) String() string {
	var b strings.Builder
	fmt.Fprintf(&b, "Checked %s in %s and %s.\n", plural(r.Items, "item"), plural(r.Projects, "project"),
		plural(r.Issues, "issue"))
	for _, k := range r.Kinds {
		how := "--repair cannot repair it"
		switch {
		case k.Repaired == k.Found:
			how = "repaired"
		case k.Repaired > 0:
			how = fmt.Sprintf("%d repaired", k.Repaired)
		case k.Repairable:
			how = "--repair repairs it"
		}
		fmt.Fprintf(&b, "\n%s: %d (%s)\n  %s\n", k.Kind, k.Found, how, k.Means)
		for _, f := range k.Examples {
			fmt.Fprintf(&b, "    %v\n", f)
		}
		if more := k.Found - len(k.Examples); more > 0 {
			fmt.Fprintf(&b, "    and %d more\n", more)
		}
	}
	if len(r.Kinds) == 0 {
		b.WriteString("No damage was found.\n")
	}
	if r.InProgress > 0 {
		fmt.Fprintf(&b, "\nChanges of %s were in progress, or were interrupted within the last %d "+
			"minutes; check again after that.\n", plural(r.InProgress, "issue"),
			int(maxChangeTime.Minutes()))
	}
	return strings.TrimSuffix(b.String(), "\n")
}

func plural(n int, what string) string {
	if n != 1 {
		what += "s"
	}
	return fmt.Sprintf("%d %s", n, what)
}

// tally collects findings for a report.
type tally map[FindingKind]*KindReport

// add counts a finding.
func (t tally) add(f Finding, repaired bool) {
	k := t[f.Kind]
	if k == nil {
		about := kinds[f.Kind.rank()]
		k = &KindReport{Kind: f.Kind, Means: about.means, Repairable: about.repairable}
		t[f.Kind] = k
	}
	k.Found++
	if repaired {
		k.Repaired++
	}
	if len(k.Examples) < examples {
		k.Examples = append(k.Examples, f)
	}
}

func (t tally) kinds() []KindReport {
	var out []KindReport
	for _, about := range kinds {
		if k := t[about.kind]; k != nil {
			out = append(out, *k)
		}
	}
	return out
}
