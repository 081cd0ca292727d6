package local

import (
	"errors"
	"os"
	"os/exec"
	"sync"
	"syscall"
	"unsafe"

	"golang.org/x/sys/windows"
)

// guard is a running engine that ends with this process (L1). The engine is in a job object, which Windows
// kills when its last handle is closed, and only this process has a handle. The moment between the start and
// the assignment to the job is not covered. A process group of its own protects the engine from Ctrl-C (L2).
type guard struct {
	cmd *exec.Cmd

	mu  sync.Mutex
	job windows.Handle // 0 once closed
}

// startGuard runs the program. Its output goes to the given file, which the caller closes.
func startGuard(output *os.File, program string, args ...string) (*guard, error) {
	job, err := windows.CreateJobObject(nil, nil)
	if err != nil {
		return nil, os.NewSyscallError("CreateJobObject", err)
	}
	g := &guard{cmd: exec.Command(program, args...), job: job}
	limits := windows.JOBOBJECT_EXTENDED_LIMIT_INFORMATION{
		BasicLimitInformation: windows.JOBOBJECT_BASIC_LIMIT_INFORMATION{
			LimitFlags: windows.JOB_OBJECT_LIMIT_KILL_ON_JOB_CLOSE},
	}
	_, err = windows.SetInformationJobObject(job, windows.JobObjectExtendedLimitInformation,
		uintptr(unsafe.Pointer(&limits)), uint32(unsafe.Sizeof(limits)))
	if err != nil {
		g.kill()
		return nil, os.NewSyscallError("SetInformationJobObject", err)
	}
	g.cmd.Stdout = output
	g.cmd.Stderr = output
	g.cmd.SysProcAttr = &syscall.SysProcAttr{CreationFlags: windows.CREATE_NEW_PROCESS_GROUP}
	if err := g.cmd.Start(); err != nil {
		g.kill()
		return nil, err
	}
	var assigned error
	err = g.cmd.Process.WithHandle(func(process uintptr) {
		assigned = windows.AssignProcessToJobObject(job, windows.Handle(process))
	})
	if err := errors.Join(err, assigned); err != nil {
		g.cmd.Process.Kill()
		g.cmd.Wait()
		g.kill()
		return nil, os.NewSyscallError("AssignProcessToJobObject", err)
	}
	return g, nil
}

// terminate kills the engine, because Windows cannot ask a process without window or console to end. SQLite's
// write-ahead log survives this.
func (g *guard) terminate() { g.kill() }

// kill ends the engine at once. It does nothing if the engine has ended.
func (g *guard) kill() {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.job != 0 {
		windows.CloseHandle(g.job)
		g.job = 0
	}
}

// wait returns how the engine ended, after all processes that it started have ended.
func (g *guard) wait() string {
	g.cmd.Wait() // the state says more than the error
	g.kill()
	return g.cmd.ProcessState.String()
}

// sweep does nothing: closing the job has killed all of its processes.
func (g *guard) sweep() {}
