package loaders

import (
	"context"
	"time"

	"github.com/graph-gophers/dataloader/v7"

	"issuegrid/dynamo"
)

// Batch describes one executed batch of a loader.
type Batch struct {
	// Loader is the name of the loader, such as issue_head.
	Loader string
	// Size is the number of keys, and Capacity its maximum.
	Size, Capacity int
	Start          time.Time
	Duration       time.Duration
}

// observed returns a batch function that calls observe after each batch. It returns fn itself if observe is
// nil.
func observed[K comparable, V any](observe func(context.Context, Batch), loader string,
	fn dataloader.BatchFunc[K, V]) dataloader.BatchFunc[K, V] {
	if observe == nil {
		return fn
	}
	return func(ctx context.Context, keys []K) []*dataloader.Result[V] {
		b := Batch{Loader: loader, Size: len(keys), Capacity: dynamo.MaxBatch, Start: time.Now()}
		results := fn(ctx, keys)
		b.Duration = time.Since(b.Start)
		observe(ctx, b)
		return results
	}
}
