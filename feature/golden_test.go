package feature

// goldenLayer holds, for each of three neurons, the bits of its second slope,
// its bias and one entry of a row, as computed on linux/amd64.
var goldenLayer = [9]uint64{
	0xbfed487c195ea6d0, 0xbfec1f81eb6c03c5, 0xbfdbb23961d93676,
	0x3fdac45d229807c0, 0xbfcd065d183af225, 0xbf56babd2de3b01b,
	0x3feb9b121f84e768, 0xbff1a7941919c43a, 0xbfc6a169ae369d1b,
}
