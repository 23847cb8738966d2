package judge

import "time"

// How long a machine has to be calm before more is begun on it, and how often in
// a row it has to complain before less is.
const (
	Calm    = 60 * time.Second
	Doubled = 2
)

// Band is a verdict that does not flap: worse counts once it is seen twice in a
// row, and at once if it is critical; better counts once all that was seen in
// Calm was better. The zero value takes the first verdict as it is.
type Band struct {
	Verdict Verdict
	Since   time.Time // of the verdict
	Worse   int       // readings in a row that were worse
	Better  time.Time // since when all readings were better; zero when the last was not
	Worst   Verdict   // of the readings since Better
}

// Step takes the next reading's verdict, at its time. Times that go back begin
// the calm anew.
func (b Band) Step(v Verdict, at time.Time) Band {
	switch {
	case b.Verdict == "":
		return Band{Verdict: v, Since: at}
	case v.Worse(b.Verdict):
		b.Better, b.Worst = time.Time{}, ""
		b.Worse++
		if v == Critical || b.Worse >= Doubled {
			return Band{Verdict: v, Since: at}
		}
	case b.Verdict.Worse(v):
		b.Worse = 0
		if b.Better.IsZero() || at.Before(b.Better) {
			b.Better, b.Worst = at, v
		}
		if v.Worse(b.Worst) {
			b.Worst = v
		}
		if at.Sub(b.Better) >= Calm {
			return Band{Verdict: b.Worst, Since: at}
		}
	default:
		b.Worse, b.Better, b.Worst = 0, time.Time{}, ""
	}
	return b
}

// As is the judgement with a verdict that was steadied, and the cap of that.
func (j Judgement) As(v Verdict, p Policy, l Limits) Judgement {
	j.Verdict = v
	switch {
	case p == Tiers:
		j.Cap = caps[v]
	case v == Critical:
		j.Cap = 0
	case v == Warn:
		j.Cap = l.WarnCap
	default:
		j.Cap = NoCap
	}
	return j
}
