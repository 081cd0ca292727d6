package loaders

import (
	"context"
	"time"

	"github.com/graph-gophers/dataloader/v7"

	"issuegrid/dynamo"
)

// Batch is what became of one batch of a loader.
type Batch struct {
	// Loader is issue, issue_head, project or long_text.
	Loader string
	// Size is the number of keys, and Capacity how many there is room for.
	Size, Capacity int
	Start          time.Time
	Duration       time.Duration
}

// observed is a batch function that tells of its batches; the function itself where nobody is to be told.
func observed[K comparable, V any](tell func(context.Context, Batch), loader string,
	fn dataloader.BatchFunc[K, V]) dataloader.BatchFunc[K, V] {
	if tell == nil {
		return fn
	}
	return func(ctx context.Context, keys []K) []*dataloader.Result[V] {
		b := Batch{Loader: loader, Size: len(keys), Capacity: dynamo.MaxBatch, Start: time.Now()}
		results := fn(ctx, keys)
		b.Duration = time.Since(b.Start)
		tell(ctx, b)
		return results
	}
}
