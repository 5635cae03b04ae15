package main

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/bpielm/bpielm/cmd/internal/feed"
	"github.com/bpielm/bpielm/cmd/internal/results"
)

// A state file holds, little-endian,
//
//	8 bytes  magic "BPSTATE\n"
//	u32      version, 1
//	u32      length of the content in bytes
//	content  JSON in UTF-8, see state
//	u32      CRC-32C of everything before it
const (
	stateMagic   = "BPSTATE\n"
	stateVersion = 1
	maxState     = 1 << 27 // bytes
)

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// state is all that a device remembers.
type state struct {
	Model    uint32 // CRC-32 of its file
	Counts   counts
	Columns  []string
	Stations *feed.State
}

// save writes the state file.
func (d *device) save() error {
	content, err := json.Marshal(state{d.sum, d.counts, d.named, d.stations.State()})
	if err != nil {
		return fmt.Errorf("%s: %w", d.state, err)
	}
	b := []byte(stateMagic)
	b = binary.LittleEndian.AppendUint32(b, stateVersion)
	b = binary.LittleEndian.AppendUint32(b, uint32(len(content)))
	b = append(b, content...)
	b = binary.LittleEndian.AppendUint32(b, crc32.Checksum(b, castagnoli))
	// If a memory card has been taken out, do not make a folder in its place.
	if _, err := os.Stat(filepath.Dir(d.state)); err != nil {
		return err
	}
	err = results.WriteFile(d.state, func(w io.Writer) error {
		_, err := w.Write(b)
		return err
	})
	if err != nil {
		return fmt.Errorf("%s: %w", d.state, err)
	}
	d.unsaved = false
	return nil
}

// trySave writes the state if it has changed. A disk that is full for some time does
// not end the program.
func (d *device) trySave() {
	if d.state == "" || !d.unsaved {
		return
	}
	if err := d.save(); err != nil {
		fmt.Fprintln(d.out, "state is not written:", printable(err.Error()))
	}
}

// resume continues from the state file, if there is one, and makes sure that it can be
// written.
func (d *device) resume() error {
	if d.state == "" {
		return nil
	}
	info, err := os.Stat(d.state)
	if err == nil && (!info.Mode().IsRegular() || info.Size() > maxState) {
		return wrongUse{fmt.Errorf("%s: it is not a state of bpielm-edge", d.state)}
	}
	content, err := os.ReadFile(d.state)
	if errors.Is(err, fs.ErrNotExist) || err == nil && len(content) == 0 {
		return d.save()
	}
	if err != nil {
		return err
	}
	if !bytes.HasPrefix(content, []byte(stateMagic)) {
		return wrongUse{fmt.Errorf("%s: it is not a state of bpielm-edge", d.state)}
	}
	if why := d.restore(content); why != nil {
		fmt.Fprintf(d.out, "state begins anew: %s: %s\n", d.state, printable(why.Error()))
		if err := d.begin(); err != nil {
			return err
		}
	} else {
		fmt.Fprintf(d.out, "state resumed: %s: %d readings, %d kept\n", d.state, d.counts.Readings, d.stations.Stream.Len())
	}
	return d.save()
}

// restore continues from the content of a state file. After an error the device must
// begin again.
func (d *device) restore(content []byte) error {
	const before = len(stateMagic) + 4 + 4
	if len(content) < before+4 {
		return errors.New("it ends too early")
	}
	u32 := func(at int) uint32 { return binary.LittleEndian.Uint32(content[at:]) }
	if version := u32(len(stateMagic)); version != stateVersion {
		return fmt.Errorf("it has version %d; this program reads version %d", version, stateVersion)
	}
	end := len(content) - 4
	if u32(len(stateMagic)+4) != uint32(end-before) || u32(end) != crc32.Checksum(content[:end], castagnoli) {
		return errors.New("its checksum is wrong: it is damaged")
	}
	var s state
	if err := json.Unmarshal(content[before:end], &s); err != nil || s.Stations == nil {
		return errors.New("its content is not valid")
	}
	if s.Model != d.sum {
		return errors.New("it is of other physics")
	}
	if err := d.stations.Resume(s.Stations); err != nil {
		return err
	}
	d.counts = s.Counts
	if d.named == nil && s.Columns != nil {
		if err := d.checkColumns(d.state, s.Columns); err != nil {
			return err
		}
		d.named = s.Columns
	}
	return nil
}
