package filestore

// Ended says whether the last daemon of a store ended cleanly; known is false
// for a store without events, or whose mark cannot be read. While a daemon is
// open it says no.
func Ended(mark string) (clean, known bool) {
	s, err := readMark(mark)
	if err != nil || s.Stream == "" {
		return false, false
	}
	return s.clean >= 0, true
}
