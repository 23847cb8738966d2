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

// BenchmarkDecode reads an event as it was written, and one of any form.
func BenchmarkDecode(b *testing.B) {
	raw := sampleFile(b, TypeGatesJudged)
	for name, decode := range map[string]func([]byte) (Event, error){"as-written": Decode, "any-form": decodeFull} {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				if _, err := decode(raw); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
