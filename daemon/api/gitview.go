package api

import (
	"autopilot/events"
	"autopilot/events/wire"
	"autopilot/projections/explain"
	"autopilot/projections/rule"
	"autopilot/projections/run"
)

// gitTold is how many git changes a status and a report list.
const gitTold = 5

// git is the last recorded git state of a run; nil without one.
func (a *Views) git(s run.State) *wire.GitView {
	if s.Last.Git == "" {
		return nil
	}
	now := rule.ParseGitState(a.Text(s.Last.Git))
	return explain.Git(a.Language(s), a.Text(s.Facts.Workspace), rule.ParseGitState(a.Text(s.Facts.Git)), now)
}

// gitLines puts the first git changes into sentences.
func (a *Views) gitLines(s run.State) []string {
	if s.Last.Git == s.Facts.Git {
		return nil
	}
	return explain.GitLines(a.Language(s), a.git(s), gitTold)
}

// saves lists the commands that keep commits and files from being lost.
func saves(s run.State, g *wire.GitView) []wire.NextCommand {
	if g == nil || s.Halt != nil && s.Halt.Value == events.GoneRepository {
		return nil
	}
	return g.Next
}

// afterwards lists the commands for a work tree that was made for a run.
func afterwards(s run.State, now wire.RunView, git *wire.GitView) []wire.NextCommand {
	switch {
	case s.Status != run.Over || now.Branch == "":
		return nil
	case s.End.State == events.EndRefused:
		return explain.Unused(s.Facts.Language, now.Workspace)
	case s.End.State == events.EndDone:
		return explain.Worktree(s.Facts.Language, now.Workspace, now.Branch, s.Ahead, git)
	}
	return nil
}
