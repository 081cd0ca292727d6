package local

import (
	"context"
	"net"
	"sync/atomic"
	"time"
)

const (
	startLimit = 15 * time.Second // for an engine to answer, the fetching not counted; it takes 10 ms
	// for an engine to end when asked; it takes 3 ms unless a request is half sent
	stopLimit = 5 * time.Second
	killLimit = 5 * time.Second // for a killed engine to be gone
	portTries = 5
)

// Engine is a running engine. Its methods may be called by several goroutines.
type Engine struct {
	process  *process
	data     *dataDir
	opts     Options
	stopping atomic.Bool
	done     chan struct{}
	err      error // to be read when done is closed
}

// Start finds an engine, starts it on a free port of 127.0.0.1 and returns when it answers. ctx bounds only
// that; afterwards the engine runs until [Engine.Stop], until it dies, or until this process ends. A start
// that fails leaves no process, no lock and no directory or file that it made in DataDir.
//
// Kinds of errors: those of [Find], KindDataDir, KindLocked, KindPort, KindDied, KindTimeout (also when the
// engine has not answered after 15 seconds), KindCanceled, KindSystem.
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

// startOnFreePort starts the program. A port that was free when it was chosen may be taken when the engine
// binds it, so a few are tried.
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
		opts.logf("port %d was taken in between; the embedded engine tries another", port)
	}
	return nil, failure(KindPort, nil,
		"other programs took each of the %d ports chosen for the embedded engine %s before it did; "+
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

// watch frees the data directory when the engine is gone, not earlier (L3).
func (e *Engine) watch() {
	<-e.process.done
	if !e.stopping.Load() {
		fate := "its data was in memory and is lost"
		if e.data.path != "" {
			fate = "its data is kept in " + e.data.path
		}
		e.err = failure(KindDied, nil,
			"the embedded engine %s ended though nobody stopped it (%s)%s; start the server again, %s",
			e.process.program, e.process.ending, e.process.said(), fate)
	}
	e.data.release()
	close(e.done)
}

// URL returns the address of the DynamoDB API, http://127.0.0.1:port.
func (e *Engine) URL() string { return e.process.url }

// Done returns a channel that is closed when the engine has ended, for whatever reason, and its data
// directory is free.
func (e *Engine) Done() <-chan struct{} { return e.done }

// Err returns why the engine ended, of KindDied; nil while it runs and when it was stopped.
func (e *Engine) Err() error {
	select {
	case <-e.done:
		return e.err
	default:
		return nil
	}
}

// Stop asks the engine to end, and kills it when it has not within 5 seconds or when ctx ends; a kill costs
// nothing that the engine has acknowledged. When Stop returns nil the engine is gone and its data directory
// is free. Stopping again, or an engine that has died, is no error. The only Kind of error is KindStuck.
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
	e.opts.logf("the embedded engine has not ended when asked and is killed; its data is safe")
	e.process.guard.kill()
	select {
	case <-e.done:
		return nil
	case <-time.After(killLimit):
		return failure(KindStuck, nil,
			"the embedded engine %s at %s does not end even when killed; end it by hand "+
				"before another server uses its data", e.process.program, e.process.url)
	}
}
