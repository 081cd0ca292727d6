package cache

// Size returns how many entries and owners are counted, and how many bytes the entries take.
func (c *Cache[V]) Size() (entries, owners int, bytes int64) {
	return c.all.Len(), len(c.owners), c.bytes
}
