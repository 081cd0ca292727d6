//go:build unix

package local

import (
	"fmt"
	"os"
	"os/exec"
	"syscall"
)

// guardScript ties the engine's life to this process's (L1) with what every Unix provides, so that tests on
// one system apply to all.
//
// The guard is a shell in its own process group (L2). Its input is a pipe, the lifeline, whose other end only
// this process has; the kernel closes it when this process ends in any way. The guard runs the engine in the
// foreground and exits with its status. A background process, the watcher, reads the lifeline: a line asks
// the engine to end, and the end of the pipe kills the whole group, including guard and watcher. No signal is
// ever sent to a process id that could have been reused: "kill 0" addresses the shell's own group. The script
// uses only builtins, so PATH may be empty.
//
// What happens when a process dies: if this process dies, the lifeline closes and the group is killed. If the
// engine dies, the guard exits, this process notices and closes the lifeline, and the watcher ends. The same
// happens if the guard dies. If guard and watcher die, the engine keeps the output pipe open, which shows
// that it runs, and sweep kills the group.
//
// The guard's traps are not empty because ignored signals would stay ignored in the engine. fd 3 is a copy of
// the lifeline because a shell gives background jobs /dev/null as input. fd 4 is the engine's output; the
// watcher must not keep it open, or its end would not show that the engine has ended. The parentheses keep
// the shell's own "Killed" out of the engine's last output.
const guardScript = `trap : HUP INT QUIT TERM
exec 3<&0 4>&1 </dev/null >/dev/null 2>&1
{
	trap '' HUP INT QUIT TERM
	exec 4>&-
	while read -r order <&3; do
		kill -TERM 0
	done
	kill -KILL 0
} &
exec 3<&-
(exec "$@" >&4 2>&4 4>&-)
exit $?`

// guard is a running engine that ends with this process.
type guard struct {
	cmd      *exec.Cmd
	lifeline *os.File
}

// startGuard runs the program. Its output goes to the given file, which the caller closes.
func startGuard(output *os.File, program string, args ...string) (*guard, error) {
	r, w, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	defer r.Close()
	cmd := exec.Command("/bin/sh", append([]string{"-c", guardScript, "engine-guard", program}, args...)...)
	cmd.Stdin = r
	cmd.Stdout = output
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	if err := cmd.Start(); err != nil {
		w.Close()
		return nil, err
	}
	return &guard{cmd, w}, nil
}

// terminate asks the engine to end. It does nothing if the engine has ended.
func (g *guard) terminate() { g.lifeline.WriteString("end\n") }

// kill ends the engine at once. It does nothing if the engine has ended.
func (g *guard) kill() { g.lifeline.Close() }

// wait waits for the guard and returns how the engine ended. Other processes may remain for a moment.
func (g *guard) wait() string {
	g.cmd.Wait() // the state says more than the error
	g.kill()
	return ending(g.cmd.ProcessState)
}

// sweep kills the rest of the process group. The caller must know that the group still has processes;
// otherwise its id may have been reused.
func (g *guard) sweep() { syscall.Kill(-g.cmd.Process.Pid, syscall.SIGKILL) }

// ending describes how the guard ended. The guard's exit status is that of the engine: above 128 for signals.
func ending(state *os.ProcessState) string {
	if status, ok := state.Sys().(syscall.WaitStatus); ok && status.Signaled() {
		return fmt.Sprintf("its guard received signal %d, %s", status.Signal(), status.Signal())
	}
	if code := state.ExitCode(); code > 128 {
		return fmt.Sprintf("signal %d, %s", code-128, syscall.Signal(code-128))
	}
	return state.String()
}
