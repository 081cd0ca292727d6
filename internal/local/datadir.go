package local

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
)

// database is the name of the engine's file in a data directory. SQLite keeps its write-ahead log next to it.
const database = "dynoxide.db"

// dataDir is a data directory locked by this process (L3). The zero dataDir stands for an engine in memory.
type dataDir struct {
	path  string
	lock  *fileLock
	made  []string // directories created for it, deepest first
	fresh bool     // it contained no database
}

// openDataDir creates the directory if it is missing, checks that it is writable, and locks it.
func openDataDir(path string) (*dataDir, error) {
	if path == "" {
		return &dataDir{}, nil
	}
	abs, err := filepath.Abs(path)
	if err != nil {
		return nil, unusableDataDir(path, err)
	}
	d := &dataDir{path: abs, made: missing(abs)}
	if err := os.MkdirAll(abs, 0o700); err != nil {
		d.discard()
		return nil, unusableDataDir(abs, err)
	}
	d.lock, err = tryLock(filepath.Join(abs, "server.lock"))
	if errors.Is(err, errLocked) {
		return nil, failure(KindLocked, nil,
			"the data directory %s is in use by another server; stop that server, or name another "+
				"directory", abs)
	}
	if err == nil {
		err = probe(abs)
	}
	if err != nil {
		d.discard()
		return nil, unusableDataDir(abs, err)
	}
	_, err = os.Lstat(d.database())
	d.fresh = errors.Is(err, fs.ErrNotExist)
	return d, nil
}

func unusableDataDir(path string, err error) error {
	return failure(KindDataDir, err,
		"the data directory %s can't be used (%s); make it a directory that you may write, or name "+
			"another", path, reason(err))
}

// probe creates and removes a file, because neither the mode of a directory nor its lock file shows whether a
// file can be created.
func probe(dir string) error {
	f, err := os.CreateTemp(dir, "probe-*")
	if err != nil {
		return err
	}
	return errors.Join(f.Close(), os.Remove(f.Name()))
}

// missing returns path and its parents as far as they do not exist, deepest first.
func missing(path string) []string {
	var dirs []string
	for {
		if _, err := os.Lstat(path); !errors.Is(err, fs.ErrNotExist) {
			return dirs
		}
		dirs = append(dirs, path)
		parent := filepath.Dir(path)
		if parent == path { // a volume that does not exist
			return dirs
		}
		path = parent
	}
}

// database returns the path of the database, or "" for an engine in memory.
func (d *dataDir) database() string {
	if d.path == "" {
		return ""
	}
	return filepath.Join(d.path, database)
}

// release unlocks the directory. The engine must have ended.
func (d *dataDir) release() {
	if d.lock != nil {
		d.lock.release()
	}
}

// discard undoes openDataDir, and removes the files of an engine that failed to start (L4). It never touches
// a database that existed before.
func (d *dataDir) discard() {
	if d.fresh {
		for _, suffix := range []string{"", "-wal", "-shm", "-journal"} {
			os.Remove(d.database() + suffix)
		}
	}
	d.release()
	d.removeMade()
}

// removeMade removes the created directories that are empty.
func (d *dataDir) removeMade() {
	for _, dir := range d.made {
		if os.Remove(dir) != nil {
			return
		}
	}
}
