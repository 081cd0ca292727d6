package cli

import (
	"fmt"
	"time"

	"github.com/schollz/progressbar/v3"
	"golang.org/x/term"
)

// lineEvery is the time between two lines of progress if there is no terminal for a bar.
const lineEvery = 2 * time.Second

// bar shows progress: as a bar on a terminal, and otherwise as a note every few seconds, because a bar would
// fill a log with control characters. It shows nothing if the first update is the last one.
type bar struct {
	c       *console
	title   string
	bar     *progressbar.ProgressBar // nil without a terminal
	updated time.Time                // time of the last output; zero before the first
}

func newBar(c *console, title string) *bar { return &bar{c: c, title: title} }

func (b *bar) set(done, total int) {
	if b.updated.IsZero() {
		if done >= total {
			return // already done
		}
		if b.c.log == nil && term.IsTerminal(int(b.c.err.Fd())) {
			b.bar = progressbar.NewOptions(total, progressbar.OptionSetWriter(b.c.err),
				progressbar.OptionSetDescription(b.title),
				progressbar.OptionShowCount(), progressbar.OptionSetWidth(30),
				progressbar.OptionThrottle(100*time.Millisecond),
				progressbar.OptionSetPredictTime(true))
		}
	}
	if b.bar != nil {
		b.updated = time.Now()
		b.bar.Set(done)
		return
	}
	if time.Since(b.updated) >= lineEvery || done >= total {
		b.updated = time.Now()
		b.c.note("%s: %d of %d", b.title, done, total)
	}
}

// end ends the bar, whether or not the work is done.
func (b *bar) end() {
	if b.bar != nil {
		b.bar.Exit()
		fmt.Fprintln(b.c.err)
	}
}

// stageBar shows a bar for each stage of a command.
type stageBar struct {
	c     *console
	stage string
	bar   *bar
}

func (b *stageBar) set(stage string, done, total int) {
	if b.bar == nil || stage != b.stage {
		b.end()
		b.stage, b.bar = stage, newBar(b.c, fmt.Sprintf("%-13s", stage))
	}
	b.bar.set(done, total)
}

func (b *stageBar) end() {
	if b.bar != nil {
		b.bar.end()
		b.bar = nil
	}
}
