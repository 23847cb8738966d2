package omx_test

import "testing"

func BenchmarkWrite(b *testing.B) {
	s := open(b, b.TempDir())
	write(b, s, begin)
	for b.Loop() {
		write(b, s, `{"mode":"autopilot","note":1}`)
	}
}

func BenchmarkRead(b *testing.B) {
	s := open(b, b.TempDir())
	write(b, s, begin)
	for b.Loop() {
		if _, _, err := s.Read("autopilot", ""); err != nil {
			b.Fatal(err)
		}
	}
}
