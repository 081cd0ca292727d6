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

// Version is the only version of dynoxide that is fetched or used from PATH, because the server was tested
// with it.
const Version = "1.2.1"

// checkLimit limits one run of "dynoxide --version", which takes 2 ms unless the machine is short of memory.
const checkLimit = 30 * time.Second

// Options say where the engine, its cache and its data are. The zero Options run an engine in memory.
type Options struct {
	// Binary is the engine, as a path or as a program on PATH. Any version is accepted, with a message to Log
	// if it is not Version; it must accept dynoxide's flags and print its URL. If empty, Find searches PATH
	// for dynoxide of exactly Version, then the cache folder, and then fetches it with npm.
	Binary string
	// CacheDir is the folder of the fetched engine. The default is issuegrid in the user's cache folder.
	// Processes may share it.
	CacheDir string
	// DataDir is the directory of the database. It is created if missing, and locked while the engine runs.
	// If empty, the data is in memory.
	DataDir string
	// Log receives messages about slow or unexpected steps, one sentence per call; it may be nil. It is
	// called in the goroutine that called Find, Start or Stop.
	Log func(format string, args ...any)
}

func (o Options) logf(format string, args ...any) {
	if o.Log != nil {
		o.Log(format, args...)
	}
}

// Find returns the absolute path of a working engine, and fetches the engine if necessary. Only fetching
// takes time (about a second, 3.5 MB); ctx limits it. Of processes that fetch at the same time, one does and
// the others wait.
//
// Kinds of errors: KindBinary for Options.Binary; KindUnsupported, KindNoNPM, KindFetch and KindCache if the
// engine must be fetched; KindTimeout and KindCanceled if ctx ends first.
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

// named checks the engine that Options.Binary names.
func named(ctx context.Context, opts Options) (string, error) {
	path, err := exec.LookPath(opts.Binary)
	if err == nil || errors.Is(err, exec.ErrDot) {
		path, err = filepath.Abs(path)
	}
	if err == nil {
		err = checkEngine(ctx, path)
	}
	if other, ok := errors.AsType[*otherVersion](err); ok {
		opts.logf("%s reports the version %q; it is used as requested, but only dynoxide %s was tested", path,
			other.version, Version)
		return path, nil
	}
	if ctx.Err() != nil {
		return "", interrupted(ctx, "trying the engine "+opts.Binary)
	}
	if err != nil {
		return "", failure(KindBinary, err,
			"the engine %s can't be run (%s); name an executable dynoxide %s, or none to fetch it",
			opts.Binary, reason(err), Version)
	}
	return path, nil
}

// onPath searches PATH for dynoxide. Another version is ignored: it is there for another purpose, and the
// cache has or gets the right one.
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

// cacheDir returns the absolute path of the cache folder. It does not create the folder.
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

// otherVersion is checkEngine's error for a program that runs but is not dynoxide of Version.
type otherVersion struct{ version string }

func (e *otherVersion) Error() string {
	return fmt.Sprintf("it reports the version %q, not dynoxide %s", e.version, Version)
}

// checkEngine runs the program with --version. It returns nil for dynoxide of Version, *otherVersion for
// another program that runs, and else why the program does not run.
func checkEngine(ctx context.Context, path string) error {
	ctx, cancel := context.WithTimeout(ctx, checkLimit)
	defer cancel()
	for {
		cmd := exec.CommandContext(ctx, path, "--version")
		cmd.WaitDelay = time.Second
		out, err := cmd.Output()
		if errors.Is(err, syscall.ETXTBSY) && ctx.Err() == nil {
			// A child of another goroutine, forked while fetch was writing the file, has it open until it
			// calls exec, a few microseconds later.
			time.Sleep(time.Millisecond)
			continue
		}
		if err != nil {
			if ctx.Err() != nil {
				return fmt.Errorf("it did not respond to --version: %w", ctx.Err())
			}
			return err
		}
		if version := lastWords(string(out)); version != "dynoxide "+Version {
			return &otherVersion{version}
		}
		return nil
	}
}

// platformOf returns npm's name of an operating system and processor, and false if no engine is published for
// them.
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
