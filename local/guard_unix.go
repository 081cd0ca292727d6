//go:build unix

package local

import (
	"fmt"
	"os"
	"os/exec"
	"syscall"
)

// guardScript ties the engine's life to this process's (L1) with what every Unix has, so that what is tested
// on one holds on all.
//
// The guard is a shell in a process group of its own (L2). Its input is a pipe, the lifeline, whose other end
// only this process has: the kernel closes it when this process ends, in whatever way. The guard runs the
// engine in its foreground and exits with its status. A watcher in its background reads the lifeline: a line
// asks the engine to end, the end of the pipe kills the whole group, the guard and the watcher included.
// Nothing is ever signalled by a process id that could belong to someone else by now: "kill 0" is the shell's
// own group. Only builtins are used, so PATH may be empty.
//
// The deaths, one by one: this process: lifeline, group killed. The engine: the guard exits, this process
// sees it and closes the lifeline, the watcher goes. The guard: the same. The guard and the watcher: the
// engine still holds the output's pipe, which gives it away, and sweep kills the group.
//
// The traps are not empty in the guard, since ignored signals would stay ignored in the engine. fd 3 is a
// copy of the lifeline, since a shell gives background jobs /dev/null for an input. fd 4 is the engine's
// output; the watcher must not keep it open, or its end would not tell that the engine is gone. The
// parentheses keep the shell's own "Killed" out of the engine's last words.
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

// guard is a running engine whose life ends with this process's.
type guard struct {
	cmd      *exec.Cmd
	lifeline *os.File
}

// startGuard runs the program; its output goes to the file given, which the caller closes.
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

// terminate asks the engine to end; it does nothing when the engine has ended.
func (g *guard) terminate() { g.lifeline.WriteString("end\n") }

// kill ends the engine at once; it does nothing when the engine has ended.
func (g *guard) kill() { g.lifeline.Close() }

// wait returns how the engine ended. Processes may be left for a moment.
func (g *guard) wait() string {
	g.cmd.Wait() // the state tells more than the error
	g.kill()
	return ending(g.cmd.ProcessState)
}

// sweep kills what is left of the group. Only for a caller who knows that something is left: else the group's
// number may have become another's.
func (g *guard) sweep() { syscall.Kill(-g.cmd.Process.Pid, syscall.SIGKILL) }

// ending describes the end of the guard, which is a shell's report of the engine's end: 128 and more are
// signals.
func ending(state *os.ProcessState) string {
	if status, ok := state.Sys().(syscall.WaitStatus); ok && status.Signaled() {
		return fmt.Sprintf("its guard got signal %d, %s", status.Signal(), status.Signal())
	}
	if code := state.ExitCode(); code > 128 {
		return fmt.Sprintf("signal %d, %s", code-128, syscall.Signal(code-128))
	}
	return state.String()
}
