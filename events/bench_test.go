package events

import "testing"

func BenchmarkEncode(b *testing.B) {
	e, err := Decode(sampleFile(b, TypeGatesJudged))
	if err != nil {
		b.Fatal(err)
	}
	b.ReportAllocs()
	for b.Loop() {
		if _, err := Encode(e); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkDecode(b *testing.B) {
	raw := sampleFile(b, TypeGatesJudged)
	b.ReportAllocs()
	for b.Loop() {
		if _, err := Decode(raw); err != nil {
			b.Fatal(err)
		}
	}
}
