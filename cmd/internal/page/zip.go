package page

import (
	"encoding/binary"
	"hash/crc32"
	"maps"
	"slices"
)

// zipped packs files into a ZIP archive, in the order of their names, stored and without times. archive/zip would make the
// program for browsers 34 kB larger, for a few short texts.
func zipped(files map[string]string) []byte {
	const (
		local, central, end = 0x04034b50, 0x02014b50, 0x06054b50 // signatures
		version, utf8       = 20, 1 << 11
		firstDay            = 1<<5 | 1 // of 1980, the earliest that the format knows
	)
	var data, directory []byte
	names := slices.Sorted(maps.Keys(files))
	short, long := binary.LittleEndian.AppendUint16, binary.LittleEndian.AppendUint32
	for _, name := range names {
		text := files[name]
		about := short(nil, version)
		about = short(about, utf8)
		about = short(about, 0) // stored
		about = short(about, 0) // midnight
		about = short(about, firstDay)
		about = long(about, crc32.ChecksumIEEE([]byte(text)))
		about = long(about, uint32(len(text)))
		about = long(about, uint32(len(text)))
		about = short(about, uint16(len(name)))
		about = short(about, 0) // nothing extra

		directory = long(directory, central)
		directory = short(directory, version)
		directory = append(directory, about...)
		directory = append(directory, make([]byte, 2+2+2+4)...) // no comment, on this disk, no attributes
		directory = long(directory, uint32(len(data)))
		directory = append(directory, name...)

		data = long(data, local)
		data = append(append(append(data, about...), name...), text...)
	}
	at := len(data)
	data = long(append(data, directory...), end)
	data = append(data, make([]byte, 2+2)...) // on this disk
	data = short(data, uint16(len(names)))
	data = short(data, uint16(len(names)))
	data = long(data, uint32(len(directory)))
	data = long(data, uint32(at))
	return short(data, 0) // no comment
}
