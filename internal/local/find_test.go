//go:build unix

package local_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"issuegrid/internal/local"
)

// fakeNPM sets PATH to a directory that contains only an npm with the given shell script. The script runs
// with the previous PATH.
func fakeNPM(t *testing.T, text string) {
	t.Helper()
	dir := t.TempDir()
	script(t, filepath.Join(dir, "npm"), fmt.Sprintf("PATH='%s'\nexport PATH\n%s", os.Getenv("PATH"), text))
	t.Setenv("PATH", dir)
}

// TestFetchOnceForAll checks that parallel calls of Find fetch the engine once, and that later calls use the
// cache.
func TestFetchOnceForAll(t *testing.T) {
	npm, err := exec.LookPath("npm")
	if err != nil {
		t.Fatal(err)
	}
	cache := filepath.Join(t.TempDir(), "cache [of mine]")
	calls := filepath.Join(t.TempDir(), "calls")
	fakeNPM(t, fmt.Sprintf("pwd >>'%s'; exec '%s' \"$@\"", calls, npm))

	var log journal
	paths := make([]string, 3)
	errs := make([]error, 3)
	var wg sync.WaitGroup
	for i := range paths {
		wg.Go(func() {
			paths[i], errs[i] = local.Find(t.Context(), local.Options{CacheDir: cache, Log: log.logf})
		})
	}
	wg.Wait()
	for i := range paths {
		if errs[i] != nil {
			t.Fatal(errs[i])
		}
		if filepath.Dir(paths[i]) != cache || paths[i] != paths[0] {
			t.Errorf("found %s, want the same file in %s each time", paths[i], cache)
		}
	}
	ran, err := os.ReadFile(calls)
	if err != nil {
		t.Fatal(err)
	}
	if strings.Count(string(ran), "\n") != 1 || !strings.HasPrefix(string(ran), cache) {
		t.Errorf("npm ran in %q, want one run in the cache folder", ran)
	}
	if n := strings.Count(log.String(), "fetching the embedded engine (@dynoxide/"); n != 1 {
		t.Errorf("the log reports %d fetches:\n%s", n, &log)
	}
	wantFiles(t, cache, filepath.Base(paths[0]))

	t.Setenv("PATH", "")
	again, err := local.Find(t.Context(), local.Options{CacheDir: cache})
	if err != nil || again != paths[0] {
		t.Errorf("without PATH found %s, %v; want %s", again, err, paths[0])
	}
	engine := start(t, local.Options{CacheDir: cache})
	wantTables(t, engine)
}

// TestFetchRepairs checks that Find replaces a damaged engine and removes leftovers of a killed fetch.
func TestFetchRepairs(t *testing.T) {
	cache, engine := filledCache(t)
	script(t, engine, "exit 1")
	stale := filepath.Join(cache, "scratch-1", "package")
	if err := os.MkdirAll(stale, 0o755); err != nil {
		t.Fatal(err)
	}
	path, err := local.Find(t.Context(), local.Options{CacheDir: cache})
	if err != nil || path != engine {
		t.Fatalf("found %s, %v; want %s", path, err, engine)
	}
	wantFiles(t, cache, filepath.Base(engine))
}

// filledCache returns a cache folder with an engine, and puts an npm on PATH that delivers the engine without
// a network.
func filledCache(t *testing.T) (cache, engine string) {
	t.Helper()
	whole, err := local.Find(t.Context(), local.Options{})
	if err != nil {
		t.Fatal(err)
	}
	fakeNPM(t, fmt.Sprintf("mkdir package && cp '%s' package/dynoxide && tar cf - package | gzip -1 "+
		">dynoxide.tgz", whole))
	cache = t.TempDir()
	engine, err = local.Find(t.Context(), local.Options{CacheDir: cache})
	if err != nil {
		t.Fatal(err)
	}
	return cache, engine
}

func TestFetchFails(t *testing.T) {
	for _, test := range []struct {
		name, npm string
		kind      local.Kind
		words     []string
	}{
		{"npm reports in JSON",
			`echo '{"error": {"code": "E404", "summary": "Not Found - GET the engine.", "detail": "more"}}'; ` +
				`echo 'npm error x' >&2; exit 1`,
			local.KindFetch, []string{"Not Found - GET the engine; check", "@dynoxide/", local.Version}},
		{"npm reports on stderr",
			`printf 'npm warn old\nnpm error code EREGISTRY\nnpm error the registry is down\nnpm error A complete log of this run can be ` +
				`found in: x\nnpm notice new npm\n' >&2; exit 1`,
			local.KindFetch, []string{": the registry is down; check"}},
		{"npm reports nothing", "exit 7", local.KindFetch, []string{"exit status 7"}},
		{"nothing delivered", "exit 0", local.KindFetch, []string{"there is no tarball"}},
		{"rubbish delivered", "echo rubbish >dynoxide.tgz", local.KindFetch, []string{"unpacked"}},
		{"another package delivered",
			"mkdir package && echo {} >package/package.json && tar czf dynoxide.tgz package",
			local.KindFetch, []string{"it contains no dynoxide"}},
		{"an engine that does not run",
			`mkdir package && printf '#!/bin/sh\necho wrong processor >&2; exit 126' >package/dynoxide && tar czf dynoxide.tgz package`,
			local.KindBinary, []string{"exit status 126", "wrong processor"}},
		{"an engine of another version",
			`mkdir package && printf '#!/bin/sh\necho dynoxide 0.0.1' >package/dynoxide && tar czf dynoxide.tgz package`,
			local.KindBinary, []string{"dynoxide 0.0.1"}},
	} {
		t.Run(test.name, func(t *testing.T) {
			cache := filepath.Join(t.TempDir(), "cache")
			fakeNPM(t, test.npm)
			_, err := local.Find(t.Context(), local.Options{CacheDir: cache})
			wantError(t, err, test.kind, test.words...)
			if strings.Contains(err.Error(), "complete log") {
				t.Errorf("%q points to npm's log instead of the reason", err)
			}
			wantFiles(t, cache)
		})
	}
}

func TestFetchWithoutNPM(t *testing.T) {
	cache := filepath.Join(t.TempDir(), "cache")
	t.Setenv("PATH", t.TempDir())
	_, err := local.Start(t.Context(), local.Options{CacheDir: cache, DataDir: filepath.Join(cache, "data")})
	wantError(t, err, local.KindNoNPM, "npm", "install Node.js", "@dynoxide/", local.Version)
	if _, err := os.Stat(cache); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("the cache folder was created without npm: %v", err)
	}
}

func TestFetchIsBoundByContext(t *testing.T) {
	cache := t.TempDir()
	fakeNPM(t, "exec sleep 60")
	ctx, cancel := context.WithTimeout(t.Context(), 200*time.Millisecond)
	defer cancel()
	_, err := local.Find(ctx, local.Options{CacheDir: cache})
	wantError(t, err, local.KindTimeout, "npm fetched the embedded engine")

	ctx, cancel = context.WithCancel(t.Context())
	cancel()
	_, err = local.Find(ctx, local.Options{CacheDir: cache})
	wantError(t, err, local.KindCanceled)
	if !errors.Is(err, context.Canceled) {
		t.Errorf("%v does not wrap context.Canceled", err)
	}
	wantFiles(t, cache)
}

func TestCacheUnusable(t *testing.T) {
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	fakeNPM(t, "exit 1")
	_, err := local.Find(t.Context(), local.Options{CacheDir: filepath.Join(file, "cache")})
	wantError(t, err, local.KindCache, filepath.Join(file, "cache"), "not a directory")
}

func TestFindOnPath(t *testing.T) {
	cache, cached := filledCache(t)
	for _, test := range []struct {
		says string
		used bool
	}{
		{"echo dynoxide " + local.Version, true},
		{"echo dynoxide 9.9.9", false},
		{"echo broken >&2; exit 1", false},
	} {
		t.Run(test.says, func(t *testing.T) {
			dir := t.TempDir()
			onPath := filepath.Join(dir, "dynoxide")
			script(t, onPath, test.says)
			t.Setenv("PATH", dir)
			want := cached
			if test.used {
				want = onPath
			}
			var log journal
			got, err := local.Find(t.Context(), local.Options{CacheDir: cache, Log: log.logf})
			if err != nil || got != want {
				t.Errorf("found %s, %v; want %s", got, err, want)
			}
			if logged := strings.Contains(log.String(), "not using "+onPath); logged == test.used {
				t.Errorf("log: %q", &log)
			}
		})
	}
}

func TestFindNamed(t *testing.T) {
	dir := t.TempDir()
	plain := filepath.Join(dir, "plain")
	if err := os.WriteFile(plain, []byte("text"), 0o644); err != nil {
		t.Fatal(err)
	}
	failing := filepath.Join(dir, "failing")
	script(t, failing, "echo boom >&2; exit 3")
	other := filepath.Join(dir, "other")
	script(t, other, "echo dynoxide 9.9.9")
	notProgram := filepath.Join(dir, "notprogram")
	if err := os.WriteFile(notProgram, []byte("\x7fELF of another processor"), 0o755); err != nil {
		t.Fatal(err)
	}

	for _, test := range []struct {
		binary string
		words  []string
	}{
		{filepath.Join(dir, "missing"), []string{"no such file"}},
		{dir, []string{dir}},
		{plain, []string{"permission denied"}},
		{failing, []string{"exit status 3", "boom"}},
		{notProgram, []string{"exec format error"}},
	} {
		t.Run(filepath.Base(test.binary), func(t *testing.T) {
			_, err := local.Start(t.Context(), local.Options{Binary: test.binary})
			wantError(t, err, local.KindBinary, append(test.words, test.binary, local.Version)...)
		})
	}

	t.Run("another version is used as requested", func(t *testing.T) {
		var log journal
		got, err := local.Find(t.Context(), local.Options{Binary: other, Log: log.logf})
		if err != nil || got != other {
			t.Errorf("found %s, %v; want %s", got, err, other)
		}
		if !strings.Contains(log.String(), "dynoxide 9.9.9") {
			t.Errorf("log: %q", &log)
		}
	})
	t.Run("a relative path", func(t *testing.T) {
		t.Chdir(dir)
		got, err := local.Find(t.Context(), local.Options{Binary: "./other"})
		if err != nil || !filepath.IsAbs(got) {
			t.Errorf("found %s, %v; want an absolute path", got, err)
		}
	})
}
