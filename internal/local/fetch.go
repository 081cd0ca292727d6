package local

import (
	"archive/tar"
	"compress/gzip"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"time"
)

// scratch is the name prefix of directories in which an engine is fetched. They are inside the cache folder,
// so that a rename is atomic.
const scratch = "scratch-"

// fetch fetches the engine of the platform with npm into the file target. It holds a lock: of several
// processes one fetches, and the others wait and find the result.
func fetch(ctx context.Context, opts Options, platform, target string) error {
	npm, err := exec.LookPath("npm")
	if err == nil {
		npm, err = filepath.Abs(npm)
	}
	if err != nil {
		return failure(KindNoNPM, err,
			"npm, which fetches the embedded engine (@dynoxide/%s %s) once, is not on PATH; install Node.js "+
				"with npm, or put dynoxide %s on PATH", platform, Version, Version)
	}
	cache := filepath.Dir(target)
	if err := os.MkdirAll(cache, 0o755); err != nil {
		return unusableCache(cache, err)
	}
	lock, err := waitLock(ctx, filepath.Join(cache, "fetch.lock"))
	if err != nil {
		if ctx.Err() != nil {
			return interrupted(ctx, "waiting for another process to fetch the embedded engine into "+cache)
		}
		return unusableCache(cache, err)
	}
	defer lock.release()
	if checkEngine(ctx, target) == nil {
		return nil
	}
	removeScratch(cache)
	return deliver(ctx, opts, npm, platform, target)
}

// deliver fetches the engine into a scratch directory, tests it, and only then renames it to target, so that
// no process sees an incomplete engine (L4). The caller holds the lock.
func deliver(ctx context.Context, opts Options, npm, platform, target string) error {
	cache := filepath.Dir(target)
	dir, err := os.MkdirTemp(cache, scratch)
	if err != nil {
		return unusableCache(cache, err)
	}
	defer os.RemoveAll(dir)

	what := fmt.Sprintf("the embedded engine (@dynoxide/%s %s)", platform, Version)
	opts.logf("fetching %s with npm", what)
	if err := pack(ctx, npm, dir, platform); err != nil {
		if ctx.Err() != nil {
			return interrupted(ctx, "npm fetched "+what)
		}
		return failure(KindFetch, err,
			"npm could not fetch %s: %s; check the network and npm's registry, or put dynoxide %s on PATH",
			what, strings.TrimRight(reason(err), "."), Version)
	}
	engine := filepath.Join(dir, "dynoxide"+exeSuffix(runtime.GOOS))
	if err := unpack(dir, engine); err != nil {
		return failure(KindFetch, err,
			"the package that npm delivered for %s can't be unpacked into %s (%s); check the disk and "+
				"npm's registry, "+
				"or put dynoxide %s on PATH", what, cache, reason(err), Version)
	}
	if err := checkEngine(ctx, engine); err != nil {
		if ctx.Err() != nil {
			return interrupted(ctx, "trying "+what)
		}
		return failure(KindBinary, err,
			"%s was fetched but doesn't run from %s (%s); name a cache folder from which programs may run, "+
				"or put dynoxide %s on PATH", what, cache, reason(err), Version)
	}
	if err := os.Rename(engine, target); err != nil {
		return unusableCache(cache, err)
	}
	return nil
}

func unusableCache(cache string, err error) error {
	return failure(KindCache, err,
		"the cache folder %s can't be used (%s); make it a directory that you may write, or name another",
		cache, reason(err))
}

// removeScratch removes directories that killed processes have left. The caller holds the lock, so no other
// process is fetching.
func removeScratch(cache string) {
	entries, _ := os.ReadDir(cache)
	for _, entry := range entries {
		if strings.HasPrefix(entry.Name(), scratch) {
			os.RemoveAll(filepath.Join(cache, entry.Name()))
		}
	}
}

// pack lets npm download the platform's package into dir as a tarball, which npm checks against the
// registry's digest. npm runs in dir because it searches its working directory and the parents for a project,
// and must not find the user's.
func pack(ctx context.Context, npm, dir, platform string) error {
	cmd := exec.CommandContext(ctx, npm, "pack", "@dynoxide/"+platform+"@"+Version,
		"--json", "--ignore-scripts", "--pack-destination="+dir,
		// By default npm retries for over a minute without a network, too long for a user at a prompt.
		"--fetch-retry-mintimeout=1000", "--fetch-retry-maxtimeout=5000")
	cmd.Dir = dir
	cmd.WaitDelay = time.Second
	out, err := cmd.Output()
	if err == nil {
		return nil
	}
	if why := npmSummary(out); why != "" {
		return errors.New(why)
	}
	exit, ok := errors.AsType[*exec.ExitError](err)
	if !ok {
		return err
	}
	if why := lastMeaningful(string(exit.Stderr)); why != "" {
		return errors.New(why)
	}
	return err
}

// npmSummary returns the reason of a failure from npm's JSON output, or "" if there is none.
func npmSummary(stdout []byte) string {
	var report struct {
		Error struct{ Summary string }
	}
	if json.Unmarshal(stdout, &report) != nil {
		return ""
	}
	return printable(report.Error.Summary)
}

// lastMeaningful returns the last line that npm wrote to stderr, without npm's prefixes and the reference to
// its log file.
func lastMeaningful(stderr string) string {
	last := ""
	for line := range strings.Lines(stderr) {
		line = printable(line)
		if strings.HasPrefix(line, "npm notice") || strings.HasPrefix(line, "npm warn") {
			continue
		}
		for _, prefix := range []string{"npm error", "npm ERR!"} {
			line = strings.TrimSpace(strings.TrimPrefix(line, prefix))
		}
		if line != "" && !strings.Contains(line, "A complete log of this run") {
			last = line
		}
	}
	return last
}

// unpack extracts the engine from the tarball in dir to the file engine.
func unpack(dir, engine string) error {
	tarball, err := findTarball(dir)
	if err != nil {
		return err
	}
	f, err := os.Open(tarball)
	if err != nil {
		return err
	}
	defer f.Close()
	zr, err := gzip.NewReader(f)
	if err != nil {
		return err
	}
	tr := tar.NewReader(zr)
	for {
		entry, err := tr.Next()
		if errors.Is(err, io.EOF) {
			return fmt.Errorf("it contains no %s", filepath.Base(engine))
		}
		if err != nil {
			return err
		}
		if entry.Name == "package/"+filepath.Base(engine) && entry.Typeflag == tar.TypeReg {
			return writeProgram(engine, tr)
		}
	}
}

// findTarball searches for the tarball, because how npm names the files of scoped packages is up to npm.
func findTarball(dir string) (string, error) {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return "", err
	}
	for _, entry := range entries {
		if strings.HasSuffix(entry.Name(), ".tgz") {
			return filepath.Join(dir, entry.Name()), nil
		}
	}
	return "", errors.New("there is no tarball")
}

// writeProgram creates an executable file. It does not sync the file: if a crash of the machine damages it,
// checkEngine, which every Find runs, rejects it, and it is fetched again.
func writeProgram(path string, from io.Reader) error {
	f, err := os.OpenFile(path, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o700)
	if err != nil {
		return err
	}
	_, err = io.Copy(f, from)
	if err == nil {
		err = f.Chmod(0o755)
	}
	return errors.Join(err, f.Close())
}
