package orchestrator

import (
	"fmt"
	"time"
)

// Recommendation is what a session that ends says of the next one.
type Recommendation struct {
	Mode       Mode     `json:"mode"`
	Priorities []string `json:"priorities"`
}

// mostPriorities is how many carried issues are named.
const mostPriorities = 5

// Recommend says what the next session is for. A number that is unknown is refused: its
// author has to know it.
//
// Source: session-orchestrator, seeds 2.3 session-end recommendation.
func Recommend(completion, carryover float64, carried []string) (Recommendation, error) {
	if !known(completion) || !known(carryover) {
		return Recommendation{}, fmt.Errorf("completionRate and carryoverRatio have to be numbers")
	}
	r := Recommendation{Mode: Feature, Priorities: append([]string{}, carried[:min(len(carried), mostPriorities)]...)}
	switch {
	case completion < 0.5:
		r.Mode = PlanRetro
	case carryover >= 0.3:
		r.Mode = Deep
	}
	return r, nil
}

// Precursors lists the modes that are worth a session before the next one that builds.
//
// Source: session-orchestrator, seeds 2.3 precursor suggestions.
func Precursors(completion, carryover float64, sessions int, hint bool) []Mode {
	out := []Mode{}
	if known(completion) && completion < 0.5 || known(carryover) && carryover >= 0.3 {
		out = append(out, PlanRetro)
	}
	if sessions == 0 || hint {
		out = append(out, Discovery)
	}
	return out
}

// Accuracy is a learning about recommendations: how often one was taken.
type Accuracy struct {
	Subject    string
	Confidence float64
	Expires    time.Time
}

// Of an accuracy.
const (
	accuracyStart  = 0.5
	accuracyAgrees = 0.15
	accuracyDenies = 0.20
	accuracyFor    = 30 * 24 * time.Hour
)

// Judge is the accuracy of a recommendation beside the mode that was run, after the one
// of before, which is nil for the first. An automatic session agrees: it runs what was
// recommended. Nothing is learnt where nothing was recommended.
//
// Source: session-orchestrator, seeds 2.3 accuracy feedback.
func Judge(recommended, chosen Mode, before *Accuracy, now time.Time) (Accuracy, bool) {
	if !recommended.Known() || chosen == "" {
		return Accuracy{}, false
	}
	a := Accuracy{
		Subject:    string(recommended) + "-selected-vs-" + string(chosen),
		Confidence: accuracyStart, Expires: now.Add(accuracyFor),
	}
	if before != nil {
		by := -accuracyDenies
		if recommended == chosen {
			by = accuracyAgrees
		}
		a.Confidence = round2(min(max(before.Confidence+by, 0), 1))
	}
	return a, true
}
