package cli

import (
	"fmt"
	"os"
	"regexp"
	"strings"
	"testing"

	"golang.org/x/sys/unix"
)

// TestProgressOnTerminal draws a bar on a pseudoterminal.
func TestProgressOnTerminal(t *testing.T) {
	t.Parallel()
	master, err := os.OpenFile("/dev/ptmx", os.O_RDWR, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer master.Close()
	number, err := unix.IoctlGetInt(int(master.Fd()), unix.TIOCGPTN)
	if err == nil {
		err = unix.IoctlSetPointerInt(int(master.Fd()), unix.TIOCSPTLCK, 0)
	}
	if err != nil {
		t.Fatal(err)
	}
	terminal, err := os.OpenFile(fmt.Sprintf("/dev/pts/%d", number), os.O_RDWR|unix.O_NOCTTY, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer terminal.Close()

	b := newBar(&console{err: terminal}, "Loading")
	b.set(100, 300)
	b.end()
	fmt.Fprintln(terminal, "the end")
	var text strings.Builder
	buffer := make([]byte, 4096)
	for !strings.Contains(text.String(), "the end") {
		n, err := master.Read(buffer)
		if err != nil {
			t.Fatalf("read failed: %v after %q", err, text.String())
		}
		text.Write(buffer[:n])
	}
	// The bar shows a third and stays there when the work ends. The next output begins on a new line.
	if got := text.String(); !regexp.MustCompile(`Loading +33% \|█+ +\|.*\(100/300\)`).MatchString(got) ||
		strings.Contains(got, "100%") || !strings.Contains(got, "\nthe end") {
		t.Errorf("unexpected output on the terminal: %q", got)
	}
}
