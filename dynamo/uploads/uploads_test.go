package uploads_test

import (
	"bytes"
	"context"
	"errors"
	"io"
	"math/rand/v2"
	"testing"
	"time"

	"issuegrid/dynamo"
	"issuegrid/dynamo/dynamotest"
	"issuegrid/dynamo/uploads"
	"issuegrid/tracker"
)

func TestMain(m *testing.M) { dynamotest.Main(m) }

func open(t *testing.T) (*dynamotest.Fixture, *uploads.Store) {
	t.Helper()
	t.Parallel()
	f := dynamotest.NewFixture(t)
	return f, uploads.Of(f.Tenant)
}

// TestContents writes contents of many sizes in pieces of random sizes, and reads them as a whole and at
// random offsets. It checks the cost, and that `check` finds nothing.
func TestContents(t *testing.T) {
	f, _ := open(t)
	random := rand.New(rand.NewPCG(1, 2))
	expires := time.Now().Add(time.Hour)
	for _, size := range []int{0, 1, uploads.PartBytes - 1, uploads.PartBytes, uploads.PartBytes + 1,
		3 * uploads.PartBytes, 3*uploads.PartBytes + 777} {
		want := make([]byte, size)
		for n := range want {
			want[n] = byte(random.Uint32())
		}
		tenant, meter := f.Metered()
		s := uploads.Of(tenant)
		id, err := tracker.NewID(zeroes{byte(size), byte(size >> 8), byte(size >> 16)})
		f.Must(err)
		f.Wire.Reset()
		w := s.Create(t.Context(), id, "file", expires)
		for rest := want; len(rest) > 0; {
			n := min(len(rest), 1+random.IntN(uploads.PartBytes*2))
			if written, err := w.Write(rest[:n]); err != nil || written != n {
				t.Fatal(written, err)
			}
			rest = rest[n:]
		}
		if err := w.Close(); err != nil || w.Size() != int64(size) {
			t.Fatalf("%d bytes, want %d: %v", w.Size(), size, err)
		}
		parts := (size + uploads.PartBytes - 1) / uploads.PartBytes
		if got := f.Wire.Calls()["BatchWriteItem"]; got != parts {
			t.Errorf("%d bytes: %d calls, want %d", size, got, parts)
		}
		if most := float64(parts * (uploads.PartBytes>>10 + 1)); dynamotest.ReportsUnits() &&
			meter.Cost().WCU > most {
			t.Errorf("%d bytes: %g WCU, want at most %g", size, meter.Cost().WCU, most)
		}
		r := s.Open(t.Context(), id, "file", int64(size))
		got, err := io.ReadAll(io.NewSectionReader(r, 0, int64(size)))
		if err != nil || !bytes.Equal(got, want) {
			t.Errorf("%d bytes: read %d, %v", size, len(got), err)
		}
		for range 20 {
			b := make([]byte, random.IntN(uploads.PartBytes+10))
			offset := random.Int64N(int64(size) + 10)
			n, err := r.ReadAt(b, offset)
			wantN, wantErr := bytes.NewReader(want).ReadAt(b[:len(b):len(b)], offset)
			if n != wantN || n < len(b) != (err == io.EOF) || len(b) > 0 && !errors.Is(err, wantErr) ||
				!bytes.Equal(b[:n], want[min(int64(size), offset):][:n]) {
				t.Errorf("%d bytes at %d of %d: %d, %v; want %d, %v", len(b), offset, size, n, err, wantN,
					wantErr)
			}
		}
	}
	f.Sound()
}

// zeroes are random bytes with a seed.
type zeroes []byte

func (z zeroes) Read(b []byte) (int, error) { return copy(b, z) + max(0, len(b)-len(z)), nil }

// TestMissingPart checks that a content of which a part is missing, or was not written to its end, is not
// read as a shorter one.
func TestMissingPart(t *testing.T) {
	f, s := open(t)
	w := s.Create(t.Context(), "a", "file", time.Now().Add(time.Hour))
	_, err := w.Write(make([]byte, uploads.PartBytes+5)) // only Close writes the last part
	f.Must(err)
	for _, size := range []int64{uploads.PartBytes - 1, uploads.PartBytes + 5} {
		_, err := io.ReadAll(io.NewSectionReader(s.Open(t.Context(), "a", "file", size), 0, size))
		if tracker.CodeOf(err) != tracker.InternalErr {
			t.Errorf("%d bytes: %v", size, err)
		}
	}
}

// TestRecords checks the conditions and the expiry of records.
func TestRecords(t *testing.T) {
	f, s := open(t)
	ctx := t.Context()
	a := &uploads.Record{ID: "a", Text: "1"}
	b := &uploads.Record{ID: "b", Text: "2", Expires: time.Now().Add(-2 * time.Second)}
	if err := s.Save(ctx, a, b); err != nil || a.Version != 1 {
		t.Fatal(a, err)
	}
	found, err := s.Get(ctx, "b", "a", "no id", "c")
	if err != nil || found[1].Text != "1" || found[1].Version != 1 {
		t.Errorf("%+v, %v", found, err)
	}
	for _, n := range []int{0, 2, 3} {
		if found[n].Version != 0 {
			t.Errorf("there is a record %q", found[n].ID)
		}
	}
	if err := s.Save(ctx, &uploads.Record{ID: "a"}); !errors.Is(err, uploads.ErrChanged) {
		t.Errorf("a record is created twice: %v", err)
	}
	stale := *a
	a.Text = "3"
	f.Must(s.Save(ctx, a))
	c := &uploads.Record{ID: "c", Text: "4"}
	if err := s.Save(ctx, c, &stale); !errors.Is(err, uploads.ErrChanged) || c.Version != 0 {
		t.Errorf("a stale record is saved: %v", err)
	}
	if found, err := s.Get(ctx, "c", "a"); err != nil || found[0].Version != 0 || found[1].Text != "3" {
		t.Errorf("%+v, %v", found, err)
	}
	nobody, err := f.DB.Tenant("nobody")
	f.Must(err)
	err = uploads.Of(nobody).Save(ctx, &uploads.Record{ID: "a"})
	if tracker.CodeOf(err) != tracker.NotFound {
		t.Errorf("a record of a tenant that does not exist: %v", err)
	}
	// A store confined to a tenant can reach no other one.
	if _, err := s.Get(dynamo.Confine(context.WithoutCancel(ctx), "other"), "a"); err == nil {
		t.Error("a record of another tenant is read")
	}
}
