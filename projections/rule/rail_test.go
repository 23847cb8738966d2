package rule

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// history adds one failure for each letter; '.' is an iteration that passed or
// was a no-op, so it is not in the history but has a number.
func history(letters string, window int) History {
	h := NewHistory(window, leastKept)
	for i, r := range letters {
		if r != '.' {
			h = h.Add(Failure{Iteration: i + 1, Fingerprint: string(r), Signature: strings.ToLower(string(r))})
		}
	}
	return h
}

// atdd-kit: check_sameness.
func TestSameness(t *testing.T) {
	t.Parallel()
	for letters, want := range map[string][]int{
		"":      nil,
		"A":     nil,
		"AA":    {1, 2},
		"AB":    nil,
		"ABA":   nil,
		"ABB":   {2, 3},
		"AAB":   nil,
		"A.A":   {1, 3}, // a pass between breaks nothing
		"A..BB": {4, 5},
	} {
		m, fired := history(letters, 3).Sameness()
		equal(t, letters+" fired", fired, want != nil)
		if fired {
			equal(t, letters, m.Iterations, want)
		}
	}
}

// atdd-kit: check_stuck.
func TestStuck(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		letters string
		window  int
		want    []int
	}{
		{"ABA", 3, []int{1, 3}},
		{"ABAB", 3, []int{2, 4}},
		{"ABAB", 4, []int{2, 4}},
		{"ABC", 3, nil},
		{"AA", 3, nil}, // fewer than the window
		{"ABCA", 3, nil},
		{"ABCA", 4, []int{1, 4}},
		{"AAB", 3, []int{1, 2}}, // any repeat, not only of the last
		{"AAA", 3, []int{1, 2, 3}},
		{"AA", 2, []int{1, 2}},
		{"AB", 2, nil},
		{"AA", 1, nil}, // 0 and 1 never fire
		{"AA", 0, nil},
		{"A.BA", 3, []int{1, 4}},
	} {
		m, fired := history(c.letters, c.window).Stuck(c.window)
		name := fmt.Sprintf("%s in %d", c.letters, c.window)
		equal(t, name+" fired", fired, c.want != nil)
		if fired {
			equal(t, name, m.Iterations, c.want)
		}
	}
}

func TestSameSignatureWantsThemInARow(t *testing.T) {
	t.Parallel()
	for letters, want := range map[string][]int{
		"aAaAa":  {1, 2, 3, 4, 5},
		"AAAA":   nil,
		"AAAAB":  nil,
		"BAAAAA": {2, 3, 4, 5, 6},
		"AABAAA": nil,
	} {
		m, fired := history(letters, 3).SameSignature(leastKept)
		equal(t, letters+" fired", fired, want != nil)
		if fired {
			equal(t, letters, m.Iterations, want)
			equal(t, "value", m.Value, "a")
		}
	}
}

// noted is a history of pairs: a letter for the failure, a digit for its notes, 0
// for none that are known.
func noted(pairs string) History {
	h := NewHistory(100, leastKept)
	for i := 0; i < len(pairs); i += 2 {
		notes := strings.TrimPrefix(pairs[i+1:i+2], "0")
		h = h.Add(Failure{Iteration: i/2 + 1, Fingerprint: pairs[i : i+1], Signature: "s", Notes: notes})
	}
	return h
}

func TestAReturnWithNewNotesIsToldOnceAndThenHalts(t *testing.T) {
	t.Parallel()
	for pairs, want := range map[string]struct {
		same, stuck, told bool
	}{
		"A1":                 {},
		"A1A2":               {told: true},              // two turns that thought
		"A1A1":               {same: true},              // and two that did not
		"A0A2":               {same: true},              // what is not known is no news
		"A1A2A3":             {same: true, stuck: true}, // it was told
		"A1A2A1":             {same: true, stuck: true},
		"A1A2B3":             {},
		"A1B2A3":             {told: true},
		"A1B2A3C4":           {},
		"A1B2A1":             {stuck: true},
		"A1B2A3C4A5":         {stuck: true},
		"A1B2A3A4":           {stuck: true},
		"A1B2A3B4":           {told: true}, // each is told once
		"A1B2A3B4A5":         {stuck: true},
		"A1B2C3D4A5":         {},           // too long ago to be a return
		"A1B2C3D4A5B6A7":     {told: true}, // so this is the first
		"A1B2A3C4D5E6A7":     {},
		"A1B2A3C4D5E6A7F8A9": {stuck: true},
	} {
		h := noted(pairs)
		_, same := h.Sameness()
		_, stuck := h.Stuck(3)
		_, told := h.Return(3)
		equal(t, pairs+" sameness", same, want.same)
		equal(t, pairs+" stuck", stuck, want.stuck)
		equal(t, pairs+" told", told, want.told)
	}
}

func TestWithoutNotesEveryReturnIsARepeat(t *testing.T) {
	t.Parallel()
	h := noted("A1A2")
	_, same := h.Unnoted().Sameness()
	_, told := h.Return(3)
	equal(t, "without, and the first is as it was", same && told, true)
}

// Whatever notes are written, a failure that is the same time after time halts: at
// the third at the latest.
func TestNotesPutOffAHaltOnlyOnce(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		var h History
		for i := range 3 {
			h = h.Add(Failure{Iteration: i + 1, Fingerprint: "A", Notes: rapid.StringMatching(`[0-9]?`).Draw(t, "notes")})
		}
		if _, same := h.Sameness(); !same {
			if _, stuck := h.Stuck(3); !stuck {
				t.Fatal("three equal failures do not halt")
			}
		}
	})
}

func TestWhatIsToldBeforeASignatureHalts(t *testing.T) {
	t.Parallel()
	for halts, told := range map[int]int{2: 2, 3: 2, 4: 2, 5: 3, 10: 8} {
		equal(t, fmt.Sprint("of ", halts), WarnAt(halts), told)
	}
}

// Findings of a person open a fresh window: only what comes after is compared.
func TestNewFindingsForgetWhatFailedBefore(t *testing.T) {
	t.Parallel()
	h := history("ABABA", 3).Anew()
	for i, letter := range []string{"A", "B"} {
		h = h.Add(Failure{Iteration: 6 + i, Fingerprint: letter, Signature: "a"})
		_, same := h.Sameness()
		_, stuck := h.Stuck(3)
		_, signature := h.SameSignature(5)
		equal(t, letter, same || stuck || signature, false)
	}
	_, stuck := h.Add(Failure{Iteration: 8, Fingerprint: "A"}).Stuck(3)
	equal(t, "a repeat of its own", stuck, true)
}

// atdd-kit: check_max_iterations. 8 means 8 recorded iterations, 0 none.
func TestExhausted(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		current, limit int
		want           bool
	}{{0, 8, false}, {7, 8, false}, {8, 8, true}, {9, 8, true}, {0, 0, true}} {
		equal(t, fmt.Sprint(c.current, " of ", c.limit), Exhausted(c.current, c.limit), c.want)
	}
}

func TestUnknownFingerprintsAreEqualToNothing(t *testing.T) {
	t.Parallel()
	h := NewHistory(3, 5).Add(Failure{Iteration: 1}).Add(Failure{Iteration: 2}).Add(Failure{Iteration: 3})
	_, same := h.Sameness()
	_, stuck := h.Stuck(3)
	equal(t, "fired", same || stuck, false)
}

// Passes and no-ops between never reset a detector.
// Lesson A1.
func TestFR38AlternationFires(t *testing.T) {
	t.Parallel()
	for _, letters := range []string{"ABAB", "A.A.", "A..A", "AB.A"} {
		h := history(letters, 3)
		_, same := h.Sameness()
		_, stuck := h.Stuck(3)
		equal(t, letters, same || stuck, true)
	}
}

// For any sequence with k equal fingerprints among the last window failures the
// detector fires, and only then; the evidence is what is equal. S51.
func TestFR38AnyRepeatWithinTheWindowFires(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		window := rapid.IntRange(2, 8).Draw(t, "window")
		letters := rapid.StringMatching(`[A-F.]{0,30}`).Draw(t, "letters")
		h := history(letters, window)
		fails := strings.ReplaceAll(letters, ".", "")
		repeats := false
		if len(fails) >= window {
			seen := map[rune]bool{}
			for _, r := range fails[len(fails)-window:] {
				repeats = repeats || seen[r]
				seen[r] = true
			}
		}
		m, fired := h.Stuck(window)
		if fired != repeats {
			t.Fatalf("%q in %d: fired %v, want %v", letters, window, fired, repeats)
		}
		for _, i := range m.Iterations {
			if fired && string(letters[i-1]) != m.Value {
				t.Fatalf("%q: iteration %d is not %s", letters, i, m.Value)
			}
		}
		_, same := h.Sameness()
		if n := len(fails); same != (n >= 2 && fails[n-1] == fails[n-2]) {
			t.Fatalf("%q: sameness %v", letters, same)
		}
	})
}

func TestHistoryIsBoundedAndAValue(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		window := rapid.IntRange(0, 9).Draw(t, "window")
		before := history(rapid.StringMatching(`[A-C]{0,40}`).Draw(t, "letters"), window)
		copied := History{before.Keep, slices.Clone(before.Older), slices.Clone(before.Fails), before.Judged}
		one := before.Add(Failure{Iteration: 1, Fingerprint: "x"})
		two := before.Add(Failure{Iteration: 2, Fingerprint: "y"})
		if !before.Equal(copied) || one.Fails[len(one.Fails)-1].Fingerprint != "x" || two.Fails[len(two.Fails)-1].Fingerprint != "y" {
			t.Fatal("Add changed a value that it was given")
		}
		if one.Len() > max(window, 5)+recent || len(one.Fails) > recent {
			t.Fatalf("%d failures kept for a window of %d", one.Len(), window)
		}
	})
}

// A run that was halted as stuck is not dead: with new findings it goes on, and
// only the same failure again halts it.
func TestFR93AResumedRunIsJudgedByWhatFollows(t *testing.T) {
	t.Parallel()
	stuck := history("ABA", 3).Resume()
	_, fired := stuck.Stuck(3)
	equal(t, "at once", fired, false)

	for next, want := range map[string]bool{"C": false, "A": true, "B": true} {
		_, fired := stuck.Add(Failure{Iteration: 4, Fingerprint: next}).Stuck(3)
		equal(t, "then "+next, fired, want)
	}

	same := history("AA", 3).Resume()
	_, fired = same.Sameness()
	equal(t, "sameness at once", fired, false)
	other := same.Add(Failure{Iteration: 3, Fingerprint: "B"})
	_, fired = other.Stuck(3)
	equal(t, "an old repeat beside new work", fired, false)
	_, fired = same.Add(Failure{Iteration: 3, Fingerprint: "A"}).Sameness()
	equal(t, "the same once more", fired, true)
}

func TestResumeSurvivesTrimming(t *testing.T) {
	t.Parallel()
	h := history("AABCD", 5).Resume()
	for i := range 2 * recent {
		h = h.Add(Failure{Iteration: 6 + i, Fingerprint: string(rune('E' + i))})
		_, fired := h.Stuck(5)
		equal(t, "fired", fired, false)
	}
	equal(t, "judged", h.Judged, 0)
}
