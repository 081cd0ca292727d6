package dynamo

import (
	"context"
	"errors"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"issuegrid/dynamo/internal/client"
	"issuegrid/dynamo/internal/layout"
)

// TableInput returns the definition of the table used by CreateTable. A test verifies that it matches the
// CloudFormation template in deploy/.
func TableInput(name string) *dynamodb.CreateTableInput {
	attribute := func(name string, t types.ScalarAttributeType) types.AttributeDefinition {
		return types.AttributeDefinition{AttributeName: &name, AttributeType: t}
	}
	key := func(hash, sort string) []types.KeySchemaElement {
		return []types.KeySchemaElement{{AttributeName: &hash, KeyType: types.KeyTypeHash},
			{AttributeName: &sort, KeyType: types.KeyTypeRange}}
	}
	return &dynamodb.CreateTableInput{
		TableName: &name,
		AttributeDefinitions: []types.AttributeDefinition{
			attribute(layout.AttrPK, types.ScalarAttributeTypeS),
			attribute(layout.AttrSK, types.ScalarAttributeTypeS),
			attribute(layout.AttrSS, types.ScalarAttributeTypeB)},
		KeySchema:   key(layout.AttrPK, layout.AttrSK),
		BillingMode: types.BillingModePayPerRequest,
		GlobalSecondaryIndexes: []types.GlobalSecondaryIndex{{
			IndexName: aws.String(layout.IndexName),
			KeySchema: key(layout.AttrSK, layout.AttrSS),
			Projection: &types.Projection{ProjectionType: types.ProjectionTypeInclude,
				NonKeyAttributes: []string{layout.AttrHas}},
		}},
		StreamSpecification: &types.StreamSpecification{StreamEnabled: aws.Bool(true),
			StreamViewType: types.StreamViewTypeNewAndOldImages},
	}
}

// CreateTable creates the table with its index, stream, TTL and point-in-time recovery, and waits until it is
// active. If the table exists, it only enables TTL and recovery, in case an earlier CreateTable was
// interrupted, and returns false. It ignores recovery on engines without backups.
func (db *DB) CreateTable(ctx context.Context) (created bool, err error) {
	in := TableInput(db.store.Table)
	if db.noStream {
		in.StreamSpecification = nil
	}
	_, err = db.store.Client.CreateTable(ctx, in)
	created = err == nil
	if _, exists := errors.AsType[*types.ResourceInUseException](err); err != nil && !exists {
		return false, client.Translate(err)
	}
	if err := db.wait(ctx); err != nil {
		return created, err
	}
	if err := db.expire(ctx); err != nil {
		return created, err
	}
	_, err = db.store.Client.UpdateContinuousBackups(ctx,
		&dynamodb.UpdateContinuousBackupsInput{TableName: &db.store.Table,
			PointInTimeRecoverySpecification: &types.PointInTimeRecoverySpecification{
				PointInTimeRecoveryEnabled: aws.Bool(true)}})
	if err != nil && !client.UnknownOperation(err) {
		return created, client.Translate(err)
	}
	return created, nil
}

// expire enables TTL unless it is enabled, because DynamoDB rejects enabling it twice.
func (db *DB) expire(ctx context.Context) error {
	out, err := db.store.Client.DescribeTimeToLive(ctx,
		&dynamodb.DescribeTimeToLiveInput{TableName: &db.store.Table})
	if err != nil {
		return client.Translate(err)
	}
	if d := out.TimeToLiveDescription; d != nil &&
		(d.TimeToLiveStatus == types.TimeToLiveStatusEnabled ||
			d.TimeToLiveStatus == types.TimeToLiveStatusEnabling) {
		return nil
	}
	_, err = db.store.Client.UpdateTimeToLive(ctx, &dynamodb.UpdateTimeToLiveInput{TableName: &db.store.Table,
		TimeToLiveSpecification: &types.TimeToLiveSpecification{AttributeName: aws.String(layout.AttrExpires),
			Enabled: aws.Bool(true)}})
	return client.Translate(err)
}

// tableWait limits how long a new table may take to become active.
const tableWait = 5 * time.Minute

func (db *DB) wait(ctx context.Context) error {
	waiter := dynamodb.NewTableExistsWaiter(db.store.Client, func(o *dynamodb.TableExistsWaiterOptions) {
		o.MinDelay, o.MaxDelay = 100*time.Millisecond, 5*time.Second
	})
	err := waiter.Wait(ctx, &dynamodb.DescribeTableInput{TableName: &db.store.Table}, tableWait)
	if err != nil {
		return client.Unavailable("the table did not become active", err)
	}
	return nil
}

// Ready returns an error unless the table is active and the engine responds.
func (db *DB) Ready(ctx context.Context) error {
	out, err := db.store.Client.DescribeTable(ctx, &dynamodb.DescribeTableInput{TableName: &db.store.Table})
	if err != nil {
		return client.Translate(err)
	}
	if s := out.Table.TableStatus; s != types.TableStatusActive && s != types.TableStatusUpdating {
		return client.Unavailable("the table is "+string(s), nil)
	}
	return nil
}

// DeleteTable removes the table and all its data.
func (db *DB) DeleteTable(ctx context.Context) error {
	_, err := db.store.Client.DeleteTable(ctx, &dynamodb.DeleteTableInput{TableName: &db.store.Table})
	return client.Translate(err)
}

// Table returns the table's name.
func (db *DB) Table() string { return db.store.Table }
