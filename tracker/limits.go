package tracker

// The limits of the product. The schema's descriptions state them; a test keeps the two equal.
const (
	MaxName       = 255     // characters of the name of anything but an issue
	MaxIssueName  = 1000    // characters of an issue's name
	MaxProjectKey = 10      // characters of a project's key
	MaxText       = 2 << 20 // bytes of a TEXT, a LONG_TEXT or a description (2 MiB of UTF-8)
	// bytes of a text that stays in the document; longer ones have items of their own
	MaxInlineText  = 256
	MaxUser        = 200       // characters of a USER value
	MaxTag         = 100       // characters of one tag
	MaxTags        = 100       // tags of one value
	MaxFields      = 400       // custom fields of a project
	MaxOptions     = 500       // options of a select field, chosen options of a MULTI_SELECT
	MaxStates      = 50        // states of a project
	MaxDefinition  = 8 << 20   // bytes of memory that the fields of a project with their options may take
	MaxDescription = 2000      // characters of the description of a field
	MaxNumber      = 9.9e125   // magnitude of a NUMBER, because DynamoDB's numbers end there
	MinNumber      = 1e-130    // smallest magnitude of a NUMBER that is not 0, likewise
	MaxVersion     = 1<<31 - 1 // an issue's version, likewise
	MaxKey         = 255       // characters of an idempotency key
	MaxNum         = 1<<31 - 1 // an issue's number, because it is a GraphQL Int
)
