package client

import (
	"context"
)

// beforeKey is the context key of the function given to BeforeWrites.
type beforeKey struct{}

// BeforeWrites returns a context in which check is called before each attempt of a TransactWriteItems or
// BatchWriteItem call. If check returns an error, there are no more attempts, and the call returns the error,
// or Unavailable if an earlier attempt may have acted. A nil check cancels an earlier BeforeWrites.
func BeforeWrites(ctx context.Context, check func(context.Context) error) context.Context {
	return context.WithValue(ctx, beforeKey{}, check)
}

// checked calls the function given to BeforeWrites, if the operation writes items.
func checked(ctx context.Context, operation string, unsure bool) error {
	check, _ := ctx.Value(beforeKey{}).(func(context.Context) error)
	if check == nil || operation != "TransactWriteItems" && operation != "BatchWriteItem" {
		return nil
	}
	err := check(ctx)
	if err != nil && unsure {
		return Unavailable("the change may have been written; check it before you try again", err)
	}
	return err
}
