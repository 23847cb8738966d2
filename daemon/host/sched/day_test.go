package sched

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"
	"time"

	"autopilot/probe/judge"
)

// day is a host with many runs, in time of its own: each run has some iterations,
// and between them it asks again, as the daemon does.
type day struct {
	t    *testing.T
	rng  *rand.Rand
	line Line
	now  time.Time
	at   []string // runs whose agent is at work
	ends map[string]time.Time
	left map[string]int       // iterations, by run
	wait map[string]time.Time // since when it waits
	room int

	longest time.Duration // that anybody waited while somebody could work
	grants  int
}

func (d *day) begin(run string) {
	if len(d.at) >= d.room {
		d.t.Fatalf("%v: %d at work with room for %d, and %s begins", d.now.Sub(start), len(d.at), d.room, run)
	}
	d.longest = max(d.longest, d.now.Sub(d.wait[run]))
	delete(d.wait, run)
	d.at = append(d.at, run)
	d.ends[run] = d.now.Add(time.Minute + time.Duration(d.rng.IntN(15*60))*time.Second)
	d.grants++
}

func (d *day) ask(run string) {
	d.wait[run] = d.now
	if d.line.Ask(Ask{Run: run, Again: true}, slots(d.room), d.at, d.now).Granted() {
		d.begin(run)
	}
}

func (d *day) step() {
	for i := 0; i < len(d.at); i++ {
		run := d.at[i]
		if d.now.Before(d.ends[run]) {
			continue
		}
		d.at = append(d.at[:i:i], d.at[i+1:]...)
		i--
		if d.left[run]--; d.left[run] > 0 {
			d.ask(run)
		}
	}
	waits := func(a Ask) bool { _, ok := d.wait[a.Run]; return ok }
	for _, run := range d.line.Fill(slots(d.room), d.at, d.now, waits) {
		d.begin(run)
	}
}

// reading is a machine that is short of memory and busy for half of each four
// hours, with noise on both, as what runs on it makes.
func (d *day) reading() judge.Reading {
	hours := d.now.Sub(start).Hours()
	wave := math.Sin(hours * math.Pi / 2) // four hours long
	noise := func(n float64) float64 { return (d.rng.Float64() - 0.5) * n }
	return judge.Reading{
		Time: d.now, Cores: judge.Known(8), Load1: judge.Known(max(0, 5+4*wave+noise(3))), Load5: judge.Known(max(0, 5+4*wave+noise(1))),
		MemoryAvailable: judge.Known(max(0, 8-5*wave+noise(1)) * (1 << 30)), SwapUsed: judge.Known(0), Peers: judge.Known(float64(len(d.at))),
	}
}

// TestADayOf200RunsUnderWavesOfPressure: no more agents than there is room for
// ever begin, nobody starves, and the verdict follows the waves and not the noise.
func TestADayOf200RunsUnderWavesOfPressure(t *testing.T) {
	t.Parallel()
	for seed := range uint64(4) {
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			t.Parallel()
			d := &day{
				t: t, rng: rand.New(rand.NewPCG(seed, 7)), now: start, room: 4,
				ends: map[string]time.Time{}, left: map[string]int{}, wait: map[string]time.Time{},
			}
			var band judge.Band
			changes, alone := 0, 0
			last := judge.Verdict("")
			for i := range 24 * 60 * 60 / 2 {
				d.now = start.Add(time.Duration(i) * 2 * time.Second)
				if i%200 == 0 && i/200 < 200 { // one more begins each 400 s
					run := fmt.Sprintf("run%d", i/200)
					d.left[run] = 1 + d.rng.IntN(4)
					d.ask(run)
				}
				r := d.reading()
				j := judge.Judge(r, judge.Signals, judge.Defaults())
				if j.Verdict != last {
					alone++
				}
				last = j.Verdict
				was := band.Verdict
				if band = band.Step(j.Verdict, d.now); band.Verdict != was {
					changes++
				}
				d.room, _ = judge.Room(r, j.As(band.Verdict, judge.Signals, judge.Defaults()), judge.Defaults(), judge.Demand{Max: 6, Running: len(d.at), RAM: 1 << 30})
				d.step()
			}
			for run, n := range d.left {
				if n > 0 && d.wait[run].IsZero() && len(d.at) == 0 {
					t.Errorf("%s is lost: it neither waits nor works", run)
				}
			}
			// A wave is two changes and may have steps between; readings change hundreds of times.
			if changes > 6*8 || changes*4 > alone {
				t.Errorf("the verdict changed %d times, that of the readings %d times", changes, alone)
			}
			if d.longest > time.Hour || d.grants < 300 {
				t.Errorf("%d agents began, one after %v", d.grants, d.longest)
			}
		})
	}
}
