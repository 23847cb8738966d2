package ultragoal_test

import (
	"testing"

	"pgregory.net/rapid"

	"autopilot/projections/omx/ultragoal"
)

// Whatever is done in whatever order, plan and ledger agree, at most one story is
// in progress, and what is complete stays so.
func TestAnyOrderOfCommandsKeepsTheInvariants(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		mode := rapid.SampledFrom([]string{ultragoal.Aggregate, ultragoal.PerStory}).Draw(t, "mode")
		s := begin(t, mode, "a", "b", "c")
		complete := map[string]bool{}
		id := func() string {
			return rapid.SampledFrom(s.plan.Goals).Draw(t, "goal").ID
		}
		steer := func(kind string, children ...ultragoal.Child) {
			if len(s.plan.Goals) > 8 && kind != ultragoal.Reorder {
				return // enough to go wrong
			}
			st, err := ultragoal.Steer(s.plan, s.rows, ultragoal.Proposal{
				Kind: kind, Evidence: "e", Rationale: "r", TargetGoalID: id(), Title: "t", Objective: "o", Children: children, PendingOrder: []string{id()},
			}, now)
			if err := s.take(st.Change, err); err != nil {
				t.Fatalf("%v", err)
			}
		}
		t.Repeat(map[string]func(*rapid.T){
			"next": func(t *rapid.T) { s.next(rapid.Bool().Draw(t, "retry")) },
			"done": func(t *rapid.T) {
				_ = s.done(id(), rapid.SampledFrom([]string{"active", "complete"}).Draw(t, "host"), gate)
			},
			"fail": func(t *rapid.T) { _ = s.fail(id(), rapid.SampledFrom([]string{"red", "token missing"}).Draw(t, "why")) },
			"split": func(*rapid.T) {
				steer(ultragoal.SplitSubgoal, ultragoal.Child{Title: "x", Objective: "y"}, ultragoal.Child{Title: "z", Objective: "y"})
			},
			"super":  func(*rapid.T) { steer(ultragoal.Supersede, ultragoal.Child{Title: "x", Objective: "y"}) },
			"block":  func(*rapid.T) { steer(ultragoal.Supersede) },
			"add":    func(*rapid.T) { steer(ultragoal.AddSubgoal) },
			"revise": func(*rapid.T) { steer(ultragoal.Revise) },
			"order":  func(*rapid.T) { steer(ultragoal.Reorder) },
			"review": func(*rapid.T) {
				c, _, _, err := ultragoal.ReviewBlockers(s.plan, ultragoal.Checkpoint{GoalID: id(), Evidence: "e", Snapshot: s.goalOf("active")}, ultragoal.Wanted{Title: "m", Objective: "m"}, now)
				_ = s.take(c, err)
			},
			"": func(t *rapid.T) {
				for _, g := range s.plan.Goals {
					if complete[g.ID] && g.Status != ultragoal.Complete {
						t.Fatalf("%s was complete, and is %s", g.ID, g.Status)
					}
					complete[g.ID] = g.Status == ultragoal.Complete
				}
				sum := s.plan.Summary()
				if sum.ArtifactDone && (sum.Pending+sum.InProgress+sum.Failed+sum.NeedsDecision > sum.Superseded) {
					t.Fatalf("done: %+v", sum)
				}
			},
		})
	})
}

func FuzzReaders(f *testing.F) {
	s := begin(f, ultragoal.Aggregate, "a", "b")
	text, _ := s.plan.Text()
	lines, _ := ultragoal.Lines(s.rows)
	for _, seed := range []string{string(text), string(lines), gate, `{"goal":{"objective":"x","status":"active"}}`, `{"kind":"add_subgoal","after":{"children":[{}]}}`, "- a\n  - b\n", "# x\n\x00"} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		p, err := ultragoal.Read(text)
		if err == nil {
			again, err := p.Text()
			if err != nil {
				t.Fatal(err)
			}
			if _, err := ultragoal.Read(again); err != nil {
				t.Fatalf("%v\n%s", err, again)
			}
			_, _, _ = ultragoal.Next(p, true, now)
			_ = p.Summary()
		}
		if rows, err := ultragoal.ReadLedger(text); err == nil {
			_ = ultragoal.Agree(p, rows)
			_ = ultragoal.Required(string(text), rows)
		}
		_, _ = ultragoal.ReadSnapshot(text)
		_ = ultragoal.CheckGate(text, nil)
		if s, err := ultragoal.ReadProposal(text); err == nil {
			_, _ = ultragoal.Steer(p, nil, s, now)
		}
		_, _ = ultragoal.Create(string(text), nil, ultragoal.Aggregate, now)
	})
}
