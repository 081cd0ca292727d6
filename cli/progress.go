package cli

import (
	"fmt"
	"time"

	"github.com/schollz/progressbar/v3"
	"golang.org/x/term"
)

// lineEvery is the time between two lines of progress where there is no terminal to draw a bar on.
const lineEvery = 2 * time.Second

// bar shows progress: a bar on a terminal, and elsewhere a note now and then, since a bar would fill a log
// with control characters. It appears with the first progress that is not the last.
type bar struct {
	c     *console
	title string
	bar   *progressbar.ProgressBar // nil where there is no terminal
	told  time.Time                // when the last line was written; zero before the first
}

func newBar(c *console, title string) *bar { return &bar{c: c, title: title} }

func (b *bar) set(done, total int) {
	if b.told.IsZero() {
		if done >= total {
			return // nothing to wait for
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
		b.told = time.Now()
		b.bar.Set(done)
		return
	}
	if time.Since(b.told) >= lineEvery || done >= total {
		b.told = time.Now()
		b.c.note("%s: %d of %d", b.title, done, total)
	}
}

// end leaves the bar as it is, whether or not everything was done.
func (b *bar) end() {
	if b.bar != nil {
		b.bar.Exit()
		fmt.Fprintln(b.c.err)
	}
}

// stageBar is a bar for each stage of a command.
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
