// Package traffic bounds how much work a server takes on: Buckets how much a tenant consumes, and Queue how
// much is done at a time.
//
// It knows nothing of GraphQL, HTTP or DynamoDB. Refusals are *tracker.Error with the time after which it is
// worth trying again.
package traffic
