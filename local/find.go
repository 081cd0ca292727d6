package local

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"syscall"
	"time"
)

// Version is the only version of dynoxide that is fetched or taken from PATH: what the server relies on was
// tried with it.
const Version = "1.2.1"

// checkLimit bounds one run of "dynoxide --version", which takes 2 ms unless the machine is out of memory.
const checkLimit = 30 * time.Second

// Options say where the engine, its cache and its data are. The zero Options run an engine in memory.
type Options struct {
	// Binary names the engine, as a path or as a program on PATH. Any version is taken, with a word to Log
	// when it is not Version; it must take dynoxide's flags and announce its URL on its output. "" = look on
	// PATH for dynoxide of exactly Version, then in the cache folder, then fetch it with npm.
	Binary string
	// CacheDir is the folder that keeps the fetched engine; "" = issuegrid in the user's cache folder.
	// Processes may share it.
	CacheDir string
	// DataDir is the directory of the database; it is created when missing, and locked while the engine runs.
	// "" = in memory.
	DataDir string
	// Log is told what takes time or is surprising, one sentence a call; nil = silent. It is called by the
	// goroutine that called Find, Start or Stop.
	Log func(format string, args ...any)
}

func (o Options) logf(format string, args ...any) {
	if o.Log != nil {
		o.Log(format, args...)
	}
}

// Find returns the absolute path of an engine that runs, and fetches it first when there is none. Only
// fetching takes time (about a second, 3.5 MB); ctx bounds it. Of processes that find nothing at the same
// time one fetches and the others wait.
//
// Kinds of errors: KindBinary for a named engine; KindUnsupported, KindNoNPM, KindFetch and KindCache when it
// must be fetched, KindTimeout and KindCanceled when ctx ends first.
func Find(ctx context.Context, opts Options) (string, error) {
	if opts.Binary != "" {
		return named(ctx, opts)
	}
	if path, ok := onPath(ctx, opts); ok {
		return path, nil
	}
	platform, ok := platformOf(runtime.GOOS, runtime.GOARCH)
	if !ok {
		return "", failure(KindUnsupported, nil,
			"there is no embedded engine for %s/%s; put a dynoxide %s of your own on PATH, "+
				"or use a DynamoDB elsewhere", runtime.GOOS, runtime.GOARCH, Version)
	}
	cache, err := cacheDir(opts)
	if err != nil {
		return "", err
	}
	target := filepath.Join(cache,
		fmt.Sprintf("dynoxide-%s-%s%s", Version, platform, exeSuffix(runtime.GOOS)))
	if checkEngine(ctx, target) == nil {
		return target, nil
	}
	if ctx.Err() != nil {
		return "", interrupted(ctx, "looking for the embedded engine")
	}
	if err := fetch(ctx, opts, platform, target); err != nil {
		return "", err
	}
	return target, nil
}

// named checks the engine that the caller insists on.
func named(ctx context.Context, opts Options) (string, error) {
	path, err := exec.LookPath(opts.Binary)
	if err == nil || errors.Is(err, exec.ErrDot) {
		path, err = filepath.Abs(path)
	}
	if err == nil {
		err = checkEngine(ctx, path)
	}
	if other, ok := errors.AsType[*otherVersion](err); ok {
		opts.logf("%s calls itself %q; it is used as asked, though only dynoxide %s was tried", path,
			other.said, Version)
		return path, nil
	}
	if ctx.Err() != nil {
		return "", interrupted(ctx, "trying the engine "+opts.Binary)
	}
	if err != nil {
		return "", failure(KindBinary, err,
			"the engine %s can't be run (%s); name an executable dynoxide %s, or none to have it fetched",
			opts.Binary, reason(err), Version)
	}
	return path, nil
}

// onPath looks for dynoxide on PATH. One of another version is left alone: its owner has it for another
// purpose, and the cache has or gets the right one.
func onPath(ctx context.Context, opts Options) (string, bool) {
	path, err := exec.LookPath("dynoxide")
	if err != nil {
		return "", false
	}
	if path, err = filepath.Abs(path); err != nil {
		return "", false
	}
	if err := checkEngine(ctx, path); err != nil {
		opts.logf("not using %s from PATH: %s", path, reason(err))
		return "", false
	}
	return path, true
}

// cacheDir returns the absolute cache folder; it doesn't create it.
func cacheDir(opts Options) (string, error) {
	if opts.CacheDir == "" {
		user, err := os.UserCacheDir()
		if err != nil {
			return "", failure(KindCache, err,
				"there is no cache folder for the embedded engine (%s); set HOME, or put dynoxide %s on PATH",
				reason(err), Version)
		}
		return filepath.Join(user, "issuegrid"), nil
	}
	dir, err := filepath.Abs(opts.CacheDir)
	if err != nil {
		return "", failure(KindCache, err, "the cache folder %s can't be used (%s); name another",
			opts.CacheDir, reason(err))
	}
	return dir, nil
}

// otherVersion is checkEngine's answer for a program that runs and isn't dynoxide of Version.
type otherVersion struct{ said string }

func (e *otherVersion) Error() string {
	return fmt.Sprintf("it calls itself %q, not dynoxide %s", e.said, Version)
}

// checkEngine runs the program with --version and returns nil when it is dynoxide of Version, *otherVersion
// when it runs and is something else, and what went wrong when it doesn't run.
func checkEngine(ctx context.Context, path string) error {
	ctx, cancel := context.WithTimeout(ctx, checkLimit)
	defer cancel()
	for {
		cmd := exec.CommandContext(ctx, path, "--version")
		cmd.WaitDelay = time.Second
		out, err := cmd.Output()
		if errors.Is(err, syscall.ETXTBSY) && ctx.Err() == nil {
			// Another goroutine's child, forked while fetch had the file open for writing, holds it until it
			// execs: microseconds.
			time.Sleep(time.Millisecond)
			continue
		}
		if err != nil {
			if ctx.Err() != nil {
				return fmt.Errorf("it did not answer --version: %w", ctx.Err())
			}
			return err
		}
		if said := lastWords(string(out)); said != "dynoxide "+Version {
			return &otherVersion{said}
		}
		return nil
	}
}

// platformOf gives the name by which npm packages call an operating system and a processor, and false when no
// engine is published for them.
func platformOf(goos, goarch string) (string, bool) {
	switch goos + "/" + goarch {
	case "linux/amd64":
		return "linux-x64", true
	case "linux/arm64":
		return "linux-arm64", true
	case "darwin/amd64":
		return "darwin-x64", true
	case "darwin/arm64":
		return "darwin-arm64", true
	case "windows/amd64":
		return "win32-x64", true
	}
	return "", false
}

func exeSuffix(goos string) string {
	if goos == "windows" {
		return ".exe"
	}
	return ""
}
