package pin

// Cheap lets a store make less of a PIN, which is soon done.
func Cheap(s *Store) *Store {
	s.cost = 2
	return s
}
