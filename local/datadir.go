package local

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
)

// database is the name of the engine's file in a data directory; SQLite puts its write-ahead log beside it.
const database = "dynoxide.db"

// dataDir is a data directory that this process has locked (L3). The zero dataDir stands for an engine in
// memory.
type dataDir struct {
	path  string
	lock  *fileLock
	made  []string // the directories that were created for it, the deepest first
	fresh bool     // there was no database in it
}

// openDataDir creates the directory when it is missing, makes sure that it can be written, and locks it.
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

// probe makes a file, because neither the mode bits of a directory nor its lock file tell whether one can.
func probe(dir string) error {
	f, err := os.CreateTemp(dir, "probe-*")
	if err != nil {
		return err
	}
	return errors.Join(f.Close(), os.Remove(f.Name()))
}

// missing lists the directories on the way to path, path included, that don't exist, the deepest first.
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

// database is the path of the database, "" in memory.
func (d *dataDir) database() string {
	if d.path == "" {
		return ""
	}
	return filepath.Join(d.path, database)
}

// release unlocks the directory; the engine must have ended.
func (d *dataDir) release() {
	if d.lock != nil {
		d.lock.release()
	}
}

// discard undoes openDataDir and what an engine that never got to serve anyone has left (L4). A database that
// was there before is never touched.
func (d *dataDir) discard() {
	if d.fresh {
		for _, suffix := range []string{"", "-wal", "-shm", "-journal"} {
			os.Remove(d.database() + suffix)
		}
	}
	d.release()
	d.removeMade()
}

// removeMade removes the created directories as far as they are empty.
func (d *dataDir) removeMade() {
	for _, dir := range d.made {
		if os.Remove(dir) != nil {
			return
		}
	}
}
