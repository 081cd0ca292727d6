package tracker

// The limits of the product. The descriptions in the schema state them; a test checks that they agree.
const (
	MaxName       = 255     // characters of the name of anything but an issue
	MaxIssueName  = 1000    // characters of an issue's name
	MaxProjectKey = 10      // characters of a project's key
	MaxText       = 2 << 20 // bytes of a TEXT, a LONG_TEXT or a description (2 MiB of UTF-8)
	// bytes of a text that is stored in the document; longer texts have items of their own
	MaxInlineText  = 256
	MaxUser        = 200       // characters of a USER value
	MaxTag         = 100       // characters of a tag
	MaxTags        = 100       // tags in a value
	MaxFields      = 400       // custom fields of a project
	MaxOptions     = 500       // options of a select field, chosen options of a MULTI_SELECT
	MaxStates      = 50        // states of a project
	MaxDefinition  = 8 << 20   // bytes of memory for the fields of a project and their options
	MaxDescription = 2000      // characters of the description of a field
	MaxNumber      = 9.9e125   // largest magnitude of a NUMBER; DynamoDB's numbers end near 1e126
	MinNumber      = 1e-130    // smallest magnitude of a NUMBER other than 0; the limit of DynamoDB
	MaxVersion     = 1<<31 - 1 // an issue's version, because it is a GraphQL Int
	MaxKey         = 255       // characters of an idempotency key
	MaxNum         = 1<<31 - 1 // an issue's number, because it is a GraphQL Int
)
