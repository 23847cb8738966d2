package machine

import (
	"crypto/sha256"
	"fmt"
	"slices"
	"testing"
	"time"
)

// BenchmarkWhoMayBeginNext is what every change of a run asks with a thousand runs in
// line, and one whose agent has the only slot. The floor computes for about as long,
// and shows what the machine adds at the far end.
func BenchmarkWhoMayBeginNext(b *testing.B) {
	m, c := onMachine(b, 64)
	c.user.Resources.Agents = 1
	c.works("first", c.now())
	for i := range 1_000 {
		if not := c.asks(b, m, number(i)); not == nil {
			b.Fatalf("run %d may begin", i)
		}
	}
	floor := make([]byte, 512<<10)
	for _, k := range []struct {
		name string
		once func()
	}{
		{"floor", func() { sha256.Sum256(floor) }},
		{"look at the line", func() { m.fillLine(b.Context(), c.now()) }},
	} {
		b.Run(k.name, func(b *testing.B) {
			var took []time.Duration
			for b.Loop() {
				begin := time.Now()
				k.once()
				took = append(took, time.Since(begin))
			}
			slices.Sort(took)
			for _, p := range []int{50, 99} {
				b.ReportMetric(float64(took[len(took)*p/100].Microseconds())/1e3, fmt.Sprintf("p%d-ms", p))
			}
		})
	}
	if len(c.told) > 0 {
		b.Errorf("somebody was told %v", c.told)
	}
}
