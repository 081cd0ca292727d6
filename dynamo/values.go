package dynamo

import "issuegrid/dynamo/internal/layout"

// Key is the primary key of an item.
type Key = layout.Key
