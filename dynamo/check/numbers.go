package check

// numbers is a set of issue numbers: one bit for each number in pages of 1,024. The first 100,000 numbers
// take 13 KB. In the worst case, when the numbers are far apart, a number takes about 160 bytes.
type numbers map[int64]*[1024 / 64]uint64

// add adds a number. It returns false if the set already contains it.
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
