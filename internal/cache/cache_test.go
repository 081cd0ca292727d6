package cache_test

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"pgregory.net/rapid"

	"issuegrid/internal/cache"
)

// TestShares checks with random steps that the limits hold, that an entry has the value added last, and that
// an owner within its share loses nothing to another.
func TestShares(t *testing.T) {
	type kept struct{ owner, value string }
	rapid.Check(t, func(t *rapid.T) {
		entries, bytes := rapid.IntRange(1, 12).Draw(t, "entries"), rapid.Int64Range(1, 100).Draw(t, "bytes")
		c := cache.New[string](entries, bytes)
		model := map[string]kept{}
		for range rapid.IntRange(1, 60).Draw(t, "steps") {
			owner := rapid.SampledFrom([]string{"a", "b", "c", "d"}).Draw(t, "owner")
			key := fmt.Sprint(rapid.IntRange(0, 20).Draw(t, "key"))
			count, length, owners := map[string]int{}, map[string]int64{}, map[string]bool{owner: true}
			adds := false
			switch rapid.IntRange(0, 5).Draw(t, "step") {
			case 0:
				c.Remove(key)
				delete(model, key)
			case 1:
				letter := rapid.SampledFrom([]string{"x", "y"}).Draw(t, "letter")
				of := func(value string) bool { return strings.HasPrefix(value, letter) }
				c.RemoveFunc(of)
				maps.DeleteFunc(model, func(_ string, k kept) bool { return of(k.value) })
			default:
				value := strings.Repeat(rapid.SampledFrom([]string{"x", "y"}).Draw(t, "letter"),
					rapid.IntRange(1, 120).Draw(t, "length"))
				first, known := model[key]
				for _, k := range model {
					count[k.owner]++
					length[k.owner] += int64(len(k.value))
					owners[k.owner] = true
				}
				c.Add(owner, key, value, int64(len(value)))
				if known {
					owner = first.owner
				}
				if adds = int64(len(value)) <= bytes; adds {
					model[key] = kept{owner, value}
				} else {
					delete(model, key)
				}
			}
			n := len(owners)
			for _, key := range slices.Sorted(maps.Keys(model)) {
				want := model[key]
				got, ok := c.Get(key)
				switch {
				case ok && got != want.value:
					t.Fatalf("%s has the value %s, want %s", key, got, want.value)
				case ok:
				case !adds:
					t.Fatalf("%s has lost %s, and nothing was added", want.owner, key)
				case want.owner != owner && count[want.owner]*n <= entries &&
					length[want.owner]*int64(n) <= bytes:
					t.Fatalf("%s has lost %s to %s; it had %d of %d entries and %d of %d bytes, and there "+
						"were %d owners", want.owner, key, owner,
						count[want.owner], entries, length[want.owner], bytes, n)
				default:
					delete(model, key)
				}
			}
			var size int64
			left := map[string]bool{}
			for _, k := range model {
				size += int64(len(k.value))
				left[k.owner] = true
			}
			if n, o, b := c.Size(); n != len(model) || o != len(left) || b != size || n > entries ||
				b > bytes {
				t.Fatalf("counted %d entries of %d owners and %d bytes, want %d of %d and %d; "+
					"the limits are %d entries and %d bytes",
					n, o, b, len(model), len(left), size, entries, bytes)
			}
		}
	})
}

// TestLeastRecentlyUsed checks that an owner loses its least recently used entry.
func TestLeastRecentlyUsed(t *testing.T) {
	c := cache.New[int](3, 1<<20)
	for n := range 3 {
		c.Add("a", fmt.Sprint(n), n, 1)
	}
	c.Get("0")
	c.Add("a", "3", 3, 1)
	c.Add("b", "4", 4, 1)
	var left []string
	for n := range 5 {
		if _, ok := c.Get(fmt.Sprint(n)); ok {
			left = append(left, fmt.Sprint(n))
		}
	}
	if want := []string{"0", "3", "4"}; !slices.Equal(left, want) {
		t.Errorf("%v are left, want %v", left, want)
	}
}

// TestFirstOwner checks that an entry stays its first owner's when another owner adds it again, and so is not
// evicted by what the other adds.
func TestFirstOwner(t *testing.T) {
	c := cache.New[int](4, 100)
	c.Add("quiet", "shared", 1, 1)
	c.Add("noisy", "shared", 2, 1)
	for n := range 20 {
		c.Add("noisy", fmt.Sprint(n), n, 1)
	}
	if v, ok := c.Get("shared"); !ok || v != 2 {
		t.Errorf("the value is %d, %t", v, ok)
	}
}

// TestTie checks that, of owners with equally many entries, the one with the least recently used entry loses
// it.
func TestTie(t *testing.T) {
	c := cache.New[int](3, 100)
	for n := range 4 {
		c.Add(fmt.Sprint(n), fmt.Sprint(n), n, 1)
	}
	for n := range 4 {
		if _, ok := c.Get(fmt.Sprint(n)); ok != (n > 0) {
			t.Errorf("the entry of owner %d: %t", n, ok)
		}
	}
}

// TestIdle checks that idle entries are evicted before entries of an owner that has more.
func TestIdle(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := cache.New[int](10, 1<<20)
		for n := range 4 {
			c.Add("idle", fmt.Sprint("idle", n), n, 1)
		}
		time.Sleep(cache.Idle / 2)
		c.Get("idle3")
		c.Add("others", "other", 0, 1)
		time.Sleep(cache.Idle / 2)
		for n := range 20 {
			c.Add("active", fmt.Sprint("active", n), n, 1)
		}
		left := map[string]int{}
		for owner, n := range map[string]int{"idle": 4, "active": 20} {
			for i := range n {
				if _, ok := c.Get(fmt.Sprint(owner, i)); ok {
					left[owner]++
				}
			}
		}
		_, other := c.Get("other")
		if _, used := c.Get("idle3"); !used || !other || left["idle"] != 1 || left["active"] != 8 {
			t.Errorf("%v are left; the used entry: %t, the other owner's: %t", left, used, other)
		}
	})
}
