package dynamo_test

import "issuegrid/dynamo/check"

// damagesOfTags are damages of the list of the tags of a field. The issue has the tag blue.
var damagesOfTags = []damage{
	{"a tag that is not listed", removes("project-p1 xtags-p1.ftags.blue"), check.KindTag, repaired},
	{"a listed tag without a time", alters("project-p1 xtags-p1.ftags.blue", change{"at": nil}),
		check.KindItem, unrepaired},
	{"a listed tag that no issue has", puts("project-p1 xtags-p1.ftags.green", item{"at": number("1")}),
		check.KindTagUnused, cleared},
	{"a listed tag of a field that is gone", puts("project-p1 xtags-p1.fgone.green",
		item{"at": number("1")}), check.KindTagUnused, cleared},
	{"a listed tag of a former type", puts("project-p1 xtags-p1.fint.green", item{"at": number("1")}),
		check.KindTagUnused, cleared},
	{"a listed tag of another generation", puts("project-p1 xtags-p1.ftags~1.green",
		item{"at": number("1")}), check.KindTagUnused, cleared},
	{"a listed tag without a project", puts("project-gone xtags-gone.f.green", item{"at": number("1")}),
		check.KindTagUnused, cleared},
	{"a listed tag that is not folded", puts("project-p1 xtags-p1.ftags.Green", item{"at": number("1")}),
		check.KindKey, unrepaired},
}
