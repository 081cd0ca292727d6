package dynamo

import (
	"context"
	"slices"

	"issuegrid/dynamo/internal/client"
)

// write sends a transaction (client.Transaction.Send).
func (db *DB) write(ctx context.Context, x *client.Transaction) error {
	return x.Send(ctx, db.client, db.random)
}

// maxGuards is the maximum number of items that a guard adds.
const maxGuards = 2

// writeGuarded sends unconditional writes in as many transactions as needed. guard adds conditions to each of
// them; it may be nil.
func (db *DB) writeGuarded(ctx context.Context, all *client.Transaction,
	guard func(*client.Transaction)) error {
	for chunk := range slices.Chunk(all.Writes, client.MaxTransaction-maxGuards) {
		x := client.Transaction{Writes: slices.Clip(chunk)}
		if guard != nil {
			guard(&x)
		}
		if err := db.write(ctx, &x); err != nil {
			return err
		}
	}
	return nil
}
