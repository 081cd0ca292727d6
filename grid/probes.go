package grid

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
	"time"

	"issuegrid/internal/cache"
	"issuegrid/internal/columns"
	"issuegrid/tracker"
)

// Probes remembers the results of probes for a minute, so that the next page of a grid, and other requests,
// choose their plans without sending them again. An outdated result may lead to another plan, but never to
// other rows. Nil remembers nothing. It is safe for concurrent use; tenants share the memory as described in
// package cache.
type Probes struct {
	results *cache.Cache[probed]
	now     func() time.Time
}

// probed is the result of a probe.
type probed struct {
	page columns.KeyPage
	at   time.Time
}

const (
	// probeTime is how long a result is used.
	probeTime = time.Minute
	// maxProbed and probedBytes limit the results that are remembered.
	maxProbed   = 10_000
	probedBytes = 8 << 20
)

// NewProbes returns an empty Probes.
func NewProbes() *Probes {
	return &Probes{results: cache.New[probed](maxProbed, probedBytes), now: time.Now}
}

// key returns the key of a query; empty if nothing is remembered.
func (p *Probes) key(d *tracker.Definition, k *columns.KeyQuery) string {
	if p == nil {
		return ""
	}
	return fmt.Sprintf("%s %+v", d.Project.Tenant, *k)
}

func (p *Probes) get(key string) (columns.KeyPage, bool) {
	if p == nil {
		return columns.KeyPage{}, false
	}
	r, ok := p.results.Get(key)
	return r.page, ok && p.now().Sub(r.at) < probeTime
}

func (p *Probes) add(d *tracker.Definition, key string, page columns.KeyPage) {
	if p == nil {
		return
	}
	size := int64(200 + len(key) + len(page.Last))
	page.Keys = slices.Clone(page.Keys)
	for i := range page.Keys {
		k := &page.Keys[i]
		size += int64(100 + len(k.SS))
		// so that the response is not kept, which may have more keys
		k.Issue.Issue, k.SS = strings.Clone(k.Issue.Issue), bytes.Clone(k.SS)
	}
	p.results.Add(string(d.Project.Tenant), key, probed{page, p.now()}, size)
}
