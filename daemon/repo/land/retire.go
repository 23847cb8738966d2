package land

import (
	"context"
	"fmt"

	"autopilot/daemon/repo/commit"
	"autopilot/daemon/repo/tree"
)

// DiscardRoot is in front of the names of refs that keep the commits of discarded branches.
const DiscardRoot = "refs/autopilot/discarded/"

// BranchTip is the commit of a branch of a repository; empty if there is none.
func BranchTip(ctx context.Context, ws tree.Workspace, branch string) (string, error) {
	s, _, err := open("", ws)
	if err != nil {
		return "", err
	}
	return s.Tip(ctx, branch)
}

// Retire removes a branch that is still at a commit, and keeps that under another ref. A
// branch that is checked out stays, with an error.
func Retire(ctx context.Context, ws tree.Workspace, branch, at, keep string) error {
	s, _, err := open("", ws)
	if err != nil {
		return err
	}
	in, err := checkedOut(ws, commit.BranchRoot+branch)
	if err != nil {
		return err
	}
	if in != "" {
		return fmt.Errorf("branch %s is checked out in %s, and stays", branch, in)
	}
	g := synced(s.from)
	if _, err := g.Run(ctx, nil, "update-ref", keep, at); err != nil {
		return err
	}
	_, err = g.Run(ctx, nil, "update-ref", "-d", commit.BranchRoot+branch, at)
	return err
}
