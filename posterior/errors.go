package posterior

import "fmt"

// DataError is a failure that the data caused; Where names the place.
type DataError struct {
	Where string
	Why   string
}

func (e *DataError) Error() string { return e.Where + ": " + e.Why }

// FileError says why a stored model cannot be read, or a model cannot be stored.
type FileError struct {
	Why string
}

func (e *FileError) Error() string { return "model file: " + e.Why }

// ConfigError says which setting is invalid.
type ConfigError struct {
	Setting string
	Why     string
}

func (e *ConfigError) Error() string { return e.Setting + ": " + e.Why }

func dataError(where, format string, args ...any) error {
	return &DataError{Where: where, Why: fmt.Sprintf(format, args...)}
}
