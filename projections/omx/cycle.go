package omx

import (
	"crypto/sha256"
	"fmt"
	"strings"
	"time"
	"unicode"

	"github.com/go-json-experiment/json"
)

// own is the member of a state that this program keeps for itself.
const own = "apctl"

// way is one return to ralplan, as own keeps it.
type way struct {
	From   string   `json:"from"`
	Reason string   `json:"reason"`
	Plan   string   `json:"plan"`
	Work   string   `json:"work"`
	At     string   `json:"at"`
	URLs   []string `json:"urls,omitempty"`
}

// digest is the text of an object, by its hash.
func digest(o Object) string {
	return fmt.Sprintf("%x", sha256.Sum256(o.Compact()))
}

func ways(o Object) []way {
	var all []way
	_ = json.Unmarshal(o.Sub(own).Raw("returns"), &all)
	return all
}

// returned is when the run last went back; zero if it never did.
func returned(o Object) time.Time {
	all := ways(o)
	if len(all) == 0 {
		return time.Time{}
	}
	t, _ := instant(all[len(all)-1].At)
	return t
}

func usedBefore(o Object, address string) bool {
	for _, w := range ways(o) {
		for _, u := range w.URLs {
			if u == address {
				return true
			}
		}
	}
	return false
}

// sameFailures is how many equal returns in a row halt (seeds 4.1.2).
const sameFailures = 3

// back counts a return to ralplan, and clears what was approved for the plan before.
// The run ends there if its budget is spent or the same finding comes the third time
// to the same plan.
//
// Source: oh-my-codex, seeds 4.1.1 and 4.1.2; quirks Q36, Q44 and Q45; lessons O1 and
// O11. The release counts nothing.
func (m move) back() (Object, *Stop) {
	o := m.next
	reason := o.Text("return_to_ralplan_reason")
	h := field(o, "handoff_artifacts")
	work := h.Sub(Goal)
	if work == nil {
		work = h.Sub(Ralph)
	}
	w := way{From: m.from, Reason: plain(reason), Plan: fingerprint(o, m.w), Work: digest(work), At: m.w.now()}
	for _, v := range []Object{field(o, "review_verdict"), field(o, "qa_verdict")} {
		for _, n := range []string{"url", "review_url", "qa_url"} {
			if u := v.Text(n); u != "" {
				w.URLs = append(w.URLs, u)
			}
		}
	}
	all := append(ways(o), w)
	o = o.Set(own, o.Sub(own).Set("returns", all).Without("approved"))
	iteration, cycle, most := o.count("iteration"), o.count("review_cycle"), o.count("max_iterations")
	if iteration+1 > most || cycle+1 >= most {
		return o, &Stop{Exhausted, "max_iterations_reached", fmt.Sprintf("the budget of %d iterations is spent: autopilot does not go back once more", most)}
	}
	o = o.Set("iteration", iteration+1).Set("review_cycle", cycle+1)
	o = disapprove(o, "architect_review_missing_or_not_approved")
	if same(all) {
		return o, &Stop{Halted, "same_failure_three_times", "the same finding came three times to a plan that was not changed: autopilot halts"}
	}
	return o, nil
}

func same(all []way) bool {
	if len(all) < sameFailures {
		return false
	}
	last := all[len(all)-sameFailures:]
	for _, w := range last {
		if w.Reason != last[0].Reason || w.Plan != last[0].Plan {
			return false
		}
	}
	return true
}

// plain is a finding without what differs from one time to the next: case, blanks and
// numbers.
func plain(s string) string {
	var b strings.Builder
	digits := false
	for _, f := range strings.Fields(strings.ToLower(s)) {
		for _, r := range f {
			if unicode.IsDigit(r) {
				if !digits {
					b.WriteByte('0')
				}
				digits = true
				continue
			}
			digits = false
			b.WriteRune(r)
		}
		digits = false
		b.WriteByte(' ')
	}
	return strings.TrimSpace(b.String())
}

// disapprove clears the approvals of a plan: it has changed, or is to change.
//
// Source: oh-my-codex, seeds 4.1.2, ralplan stays.
func disapprove(o Object, why string) Object {
	if g := consensusOf(o); g != nil {
		g = g.Set("ralplan_architect_review", nil).Set("ralplan_critic_review", nil)
		o = withConsensus(o, g.Set("complete", false).Set("blocked_reason", why))
	}
	if !o.Null("ralplan_execution_handoff") {
		o = o.Set("ralplan_execution_handoff", nil)
	}
	return o
}

// bind ties each review that is new to the plan as it is now, and clears both when the
// plan has changed since. It says in the gate what is missing.
func (m move) bind() Object {
	o := m.next
	g := consensusOf(o)
	if g == nil {
		return o
	}
	old, now := consensusOf(m.was), fingerprint(o, m.w)
	approved := o.Sub(own).Sub("approved")
	for _, role := range []string{"architect", "critic"} {
		name := "ralplan_" + role + "_review"
		switch {
		case g.Null(name):
			approved = approved.Without(role)
		case !equal(g, old, name) || !approved.Has(role):
			approved = approved.Set(role, map[string]any{"plan": now, "older": dated(o, m.w, g.Sub(name))})
		case approved.Sub(role).Text("plan") != now && m.to == Plan:
			o = disapprove(o, "plan_changed_after_approval")
			return o.Set(own, o.Sub(own).Without("approved"))
		}
	}
	if len(approved) > 0 || o.Sub(own).Has("approved") {
		o = o.Set(own, o.Sub(own).put("approved", approved.Compact()))
	}
	if m.to != Plan {
		return o
	}
	if why := m.blockedBy(o, g); why != "" {
		return withConsensus(o, g.Set("complete", false).Set("blocked_reason", why))
	}
	return withConsensus(o, g.Without("blocked_reason"))
}

// blockedBy is why a gate of the plan is not complete, in the words of the release.
func (m move) blockedBy(o, g Object) string {
	for _, role := range []string{"architect", "critic"} {
		if !approves(g.Sub("ralplan_"+role+"_review"), role) {
			return role + "_review_missing_or_not_approved"
		}
	}
	if reviewed(o, g, m.w, Strict, func(string) *Gap { return &Gap{} }) != nil {
		return "native_subagent_consensus_evidence_missing"
	}
	return ""
}
