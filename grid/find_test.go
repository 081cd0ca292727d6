package grid_test

import (
	"errors"
	"testing"

	"issuegrid/grid"
	"issuegrid/tracker"
)

func TestFindNum(t *testing.T) {
	s := byNum.fill([]row{{num: 1}, {num: 3}})
	for num, exists := range map[int64]bool{0: false, 1: true, 2: false, 3: true, 4: false,
		tracker.MaxNum: false} {
		id, err := grid.FindNum(t.Context(), s, &definition.Project, num)
		if exists && (err != nil || id != issueID(project, num)) || !exists &&
			tracker.CodeOf(err) != tracker.NotFound {
			t.Errorf("#%d: got %v, %v", num, id, err)
		}
	}
	s.before = func(call) error { return errBroken }
	if _, err := grid.FindNum(t.Context(), s, &definition.Project, 1); !errors.Is(err, errBroken) {
		t.Errorf("got %v, want %v", err, errBroken)
	}
}
