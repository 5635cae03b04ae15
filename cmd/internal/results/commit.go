package results

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
)

// How several files change at once. No system call renames more than one file. Swapping
// whole folders would move the user's own files, too, fail for a mounted folder, and
// leave shells in the old one. But one symbolic link can be changed atomically, and any
// number of names can lead through it. In the folder, staging holds
//
//	new/    the files of the new result, written and synced
//	old/    hard links to those of the old result
//	now     a symbolic link, to old and then to new
//
// and a commit has three steps:
//
//  1. Every name of the result becomes a symbolic link to staging/now/name. As now leads
//     to old, the content stays the same.
//  2. now is changed to lead to new. This is the commit.
//  3. Every name becomes the new file itself, and staging is removed.
//
// Thus a reader sees the old result before step 2 and the new one after it, even if the
// program is killed, and in the end there are plain files. The next program that opens
// the folder completes step 3, or undoes step 1; settle does both.
//
// Without symbolic or hard links, as on FAT and Windows, a file named commit says that
// all files of new are to be renamed. If the program is killed between two of them, the
// next one renames the rest.
const (
	staging = ".bpielm-staging"
	fresh   = "new"
	former  = "old"
	current = "now"
	marker  = "commit"
)

// at is a path in staging.
func (f *Folder) at(parts ...string) string {
	return filepath.Join(append([]string{f.path, staging}, parts...)...)
}

// exchange commits.
func (f *Folder) exchange() error {
	if err := f.disk.sync(f.at(fresh)); err != nil {
		return err
	}
	err := f.keepOld()
	if runtime.GOOS == "windows" || errors.Is(err, errors.ErrUnsupported) || errors.Is(err, fs.ErrPermission) {
		return f.exchangeOneByOne()
	}
	if err != nil {
		return err
	}
	for _, name := range f.names { // step 1
		link := f.at("link")
		if err := f.disk.symlink(target(name), link); err != nil {
			return err
		}
		if err := f.disk.rename(link, filepath.Join(f.path, name)); err != nil {
			return err
		}
	}
	if err := f.disk.sync(f.path); err != nil {
		return err
	}
	next := f.at("next") // step 2
	if err := f.disk.symlink(fresh, next); err != nil {
		return err
	}
	if err := f.disk.rename(next, f.at(current)); err != nil {
		return err
	}
	if err := f.disk.sync(f.at()); err != nil {
		return err
	}
	return f.settle() // step 3
}

// target is where a name of the result leads during a commit.
func target(name string) string { return filepath.Join(staging, current, name) }

// keepOld makes a second name for every file that is to be replaced. The folder itself
// stays as it is.
func (f *Folder) keepOld() error {
	if err := f.disk.mkdir(f.at(former)); err != nil {
		return err
	}
	for _, name := range f.names {
		err := f.disk.link(filepath.Join(f.path, name), f.at(former, name))
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
	}
	if err := f.disk.sync(f.at(former)); err != nil {
		return err
	}
	if err := f.disk.symlink(former, f.at(current)); err != nil {
		return err
	}
	return f.disk.sync(f.at())
}

// exchangeOneByOne commits without links.
func (f *Folder) exchangeOneByOne() error {
	if err := write(f.disk, f.at(marker), 0, nil); err != nil {
		return err
	}
	if err := f.disk.sync(f.at()); err != nil {
		return err
	}
	return f.settle()
}

// settle replaces every link by the file that it leads to, and empties staging.
func (f *Folder) settle() error {
	var files []fs.DirEntry
	generation := f.generation()
	if generation != "" {
		var err error
		if files, err = os.ReadDir(f.at(generation)); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
		for _, file := range files {
			if err := f.disk.rename(f.at(generation, file.Name()), filepath.Join(f.path, file.Name())); err != nil {
				return err
			}
		}
		if err := f.removeLinks(); err != nil {
			return err
		}
		if err := f.disk.sync(f.path); err != nil {
			return err
		}
	}
	return f.empty()
}

// generation is the one of old and new that the names lead to, "" if they are plain
// files.
func (f *Folder) generation() string {
	if _, err := os.Lstat(f.at(marker)); err == nil {
		return fresh
	}
	switch now, _ := os.Readlink(f.at(current)); now {
	case fresh, former:
		return now
	}
	return ""
}

// removeLinks removes the names that have no file in the generation.
func (f *Folder) removeLinks() error {
	entries, err := os.ReadDir(f.path)
	if err != nil {
		return err
	}
	for _, e := range entries {
		path := filepath.Join(f.path, e.Name())
		if e.Type()&fs.ModeSymlink == 0 {
			continue
		}
		if to, _ := os.Readlink(path); to == target(e.Name()) {
			if err := f.disk.remove(path); err != nil {
				return err
			}
		}
	}
	return nil
}

// empty removes everything in staging, last of all what says which generation counts.
func (f *Folder) empty() error {
	entries, err := os.ReadDir(f.at())
	if err != nil {
		return err
	}
	var last []string
	for _, e := range entries {
		path := f.at(e.Name())
		switch {
		case e.IsDir():
			if err := f.removeAll(path); err != nil {
				return err
			}
		case e.Name() == current || e.Name() == marker:
			last = append(last, path)
		default:
			if err := f.disk.remove(path); err != nil {
				return err
			}
		}
	}
	for _, path := range last {
		if err := f.disk.remove(path); err != nil {
			return err
		}
	}
	return nil
}

// removeAll removes a directory of files.
func (f *Folder) removeAll(path string) error {
	entries, err := os.ReadDir(path)
	if err != nil {
		return err
	}
	for _, e := range entries {
		if err := f.disk.remove(filepath.Join(path, e.Name())); err != nil {
			return err
		}
	}
	return f.disk.remove(path)
}
