package local

import (
	"context"
	"net"
	"sync/atomic"
	"time"
)

const (
	startLimit = 15 * time.Second // for an engine to respond, without the download; usually 10 ms
	// for an engine to end after a request to stop; usually 3 ms, unless a request is half sent
	stopLimit = 5 * time.Second
	killLimit = 5 * time.Second // for a killed engine to end
	portTries = 5
)

// Engine is a running engine. It is safe for concurrent use.
type Engine struct {
	process  *process
	data     *dataDir
	opts     Options
	stopping atomic.Bool
	done     chan struct{}
	err      error // valid after done is closed
}

// Start finds an engine, starts it on a free port of 127.0.0.1 and returns when it responds. ctx limits only
// the start; afterwards the engine runs until [Engine.Stop], until it fails, or until this process ends. A
// failed start leaves no process, no lock, and no directory or file that it created in DataDir.
//
// Kinds of errors: those of [Find], KindDataDir, KindLocked, KindPort, KindDied, KindTimeout (also if the
// engine has not responded within 15 seconds), KindCanceled, KindSystem.
func Start(ctx context.Context, opts Options) (*Engine, error) {
	program, err := Find(ctx, opts)
	if err != nil {
		return nil, err
	}
	data, err := openDataDir(opts.DataDir)
	if err != nil {
		return nil, err
	}
	p, err := startOnFreePort(ctx, program, data.database(), opts)
	if err != nil {
		data.discard()
		return nil, err
	}
	e := &Engine{process: p, data: data, opts: opts, done: make(chan struct{})}
	go e.watch()
	return e, nil
}

// startOnFreePort starts the program. Another program may take the chosen port before the engine binds it, so
// several ports are tried.
func startOnFreePort(ctx context.Context, program, db string, opts Options) (*process, error) {
	ctx, cancel := context.WithTimeout(ctx, startLimit)
	defer cancel()
	for range portTries {
		port, err := freePort()
		if err != nil {
			return nil, failure(KindPort, err,
				"there is no free port on 127.0.0.1 for the embedded engine (%s); "+
					"close programs that hold ports", reason(err))
		}
		p, err := launch(program, db, port)
		if err != nil {
			return nil, err
		}
		if err = p.ready(ctx); err == nil {
			return p, nil
		}
		p.kill()
		if KindOf(err) != KindDied || !p.portTaken() {
			return nil, err
		}
		opts.logf("port %d was taken by another program; the embedded engine tries another", port)
	}
	return nil, failure(KindPort, nil,
		"other programs took each of the %d ports chosen for the embedded engine %s; "+
			"try again", portTries, program)
}

func freePort() (int, error) {
	l, err := net.Listen("tcp4", address(0))
	if err != nil {
		return 0, err
	}
	defer l.Close()
	return l.Addr().(*net.TCPAddr).Port, nil
}

// watch releases the data directory after the engine has ended (L3).
func (e *Engine) watch() {
	<-e.process.done
	if !e.stopping.Load() {
		fate := "its data was in memory and is lost"
		if e.data.path != "" {
			fate = "its data is kept in " + e.data.path
		}
		e.err = failure(KindDied, nil,
			"the embedded engine %s ended unexpectedly (%s)%s; start the server again, %s",
			e.process.program, e.process.ending, e.process.said(), fate)
	}
	e.data.release()
	close(e.done)
}

// URL returns the address of the DynamoDB API, http://127.0.0.1:port.
func (e *Engine) URL() string { return e.process.url }

// Done returns a channel that is closed when the engine has ended for any reason and its data directory is
// unlocked.
func (e *Engine) Done() <-chan struct{} { return e.done }

// Err returns an error of KindDied if the engine ended without Stop. It returns nil while the engine runs and
// after Stop.
func (e *Engine) Err() error {
	select {
	case <-e.done:
		return e.err
	default:
		return nil
	}
}

// Stop asks the engine to end, and kills it after 5 seconds or when ctx ends; a killed engine loses no
// acknowledged write. When Stop returns nil, the engine has ended and its data directory is unlocked.
// Stopping again, or stopping an engine that has died, is not an error. The only Kind of error is KindStuck.
func (e *Engine) Stop(ctx context.Context) error {
	if !e.stopping.Swap(true) {
		e.process.guard.terminate()
	}
	ctx, cancel := context.WithTimeout(ctx, stopLimit)
	defer cancel()
	select {
	case <-e.done:
		return nil
	case <-ctx.Done():
	}
	e.opts.logf("the embedded engine did not end in time and is killed; its data is safe")
	e.process.guard.kill()
	select {
	case <-e.done:
		return nil
	case <-time.After(killLimit):
		return failure(KindStuck, nil,
			"the embedded engine %s at %s did not end after a kill; end it manually "+
				"before another server uses its data", e.process.program, e.process.url)
	}
}
