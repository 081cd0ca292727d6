package tracker

// The limits of the product. The descriptions in the schema state them; a test checks that they agree.
const (
	MaxName       = 255     // characters of the name of anything but an issue
	MaxIssueName  = 1000    // characters of an issue's name
	MaxProjectKey = 10      // characters of a project's key
	MaxText       = 2 << 20 // bytes of a TEXT, a LONG_TEXT or a description (2 MiB of UTF-8)
	// bytes of a text that is stored in the document; longer texts have items of their own
	MaxInlineText   = 256
	MaxUser         = 200       // characters of a USER value
	MaxUserLinks    = 100       // names that one change links to users
	MaxTag          = 100       // characters of a tag
	MaxTags         = 100       // tags in a value
	MaxFields       = 400       // custom fields of a project
	MaxOptions      = 500       // options of a select field, chosen options of a MULTI_SELECT
	MaxStates       = 50        // states of a project
	MaxDefinition   = 8 << 20   // bytes of memory for the fields of a project and their options
	MaxDescription  = 2000      // characters of the description of a field
	MaxNumber       = 9.9e125   // largest magnitude of a NUMBER; DynamoDB's numbers end near 1e126
	MinNumber       = 1e-130    // smallest magnitude of a NUMBER other than 0; the limit of DynamoDB
	MaxVersion      = 1<<31 - 1 // an issue's version, because it is a GraphQL Int
	MaxKey          = 255       // characters of an idempotency key
	MaxNum          = 1<<31 - 1 // an issue's number, because it is a GraphQL Int
	MaxGivenNum     = 1 << 30   // a number that an import gives, so that new issues have a billion left
	MaxViews        = 100       // shared views of a project, private views of a user in a project
	MaxViewColumns  = 100       // columns of a view
	MaxViewFilter   = 16 << 10  // bytes of the filter of a view, as JSON with ids for names
	MaxEmail        = 254       // bytes of an e-mail address
	MaxInitials     = 3         // characters of the initials of a user
	MaxAvatarURL    = 2048      // bytes of the address of a picture
	MaxMembers      = 200       // members of a team
	MaxTeams        = 50        // teams of a user
	MaxMemberChange = 90        // users that are added to a team, or removed, in one change
	MaxParticipants = 100       // assignees of an issue, watchers of an issue
	MaxComment      = 256 << 10 // bytes of the text of a comment (256 KiB of UTF-8)
	MaxInlineBody   = 4 << 10   // bytes of a text in the item of its comment; longer ones have an item each
	MaxRating       = 5         // the highest rating of a comment
	MaxMentions     = 50        // users that a comment mentions
	MaxEdits        = 100       // changes of the text of a comment
	MinViewWidth    = 20        // pixels of the width of a column in a view
	MaxViewWidth    = 2000
)
