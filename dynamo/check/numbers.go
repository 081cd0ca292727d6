package check

// numbers is a set of issue numbers, a bit each in pages of 1,024: 13 KB for the first 100,000, and at the
// worst, when they lie far apart, some 160 bytes a number.
type numbers map[int64]*[1024 / 64]uint64

// add puts a number into the set; false if it is there already.
func (s numbers) add(num int64) bool {
	page := s[num>>10]
	if page == nil {
		page = new([1024 / 64]uint64)
		s[num>>10] = page
	}
	word, bit := &page[num>>6&15], uint64(1)<<(num&63)
	added := *word&bit == 0
	*word |= bit
	return added
}
