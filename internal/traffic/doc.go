// Package traffic limits the load of a server: Buckets limit what each tenant consumes of DynamoDB, Queue
// limits how many operations run at a time, Memory limits the data that they hold, and Processor shares the
// CPU between tenants.
//
// The package does not depend on GraphQL, HTTP or DynamoDB. Rejections are *tracker.Error with the time after
// which the caller should try again.
package traffic
