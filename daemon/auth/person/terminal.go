package person

import "fmt"

// TerminalName names a terminal by its device number, as a path below /dev.
// Linux, Documentation/admin-guide/devices.txt: 136 to 143 are pseudo-terminals,
// 4 is consoles and serial lines.
func TerminalName(tty int) string {
	n := uint32(tty)
	major, minor := n>>8&0xff, n&0xff|n>>12&0xfff00
	switch {
	case major >= 136 && major <= 143:
		return fmt.Sprintf("pts/%d", (major-136)<<8|minor)
	case major == 4 && minor < 64:
		return fmt.Sprintf("tty%d", minor)
	case major == 4:
		return fmt.Sprintf("ttyS%d", minor-64)
	}
	return fmt.Sprintf("tty-%d-%d", major, minor)
}
