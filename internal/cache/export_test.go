package cache

// Size returns the number of entries, the number of owners, and the bytes of all entries.
func (c *Cache[V]) Size() (entries, owners int, bytes int64) {
	return c.all.Len(), len(c.owners), c.bytes
}
