package ctl

import (
	"context"
	"errors"

	"autopilot/ctl/client"
	"autopilot/ctl/render"
	"autopilot/events/wire"
)

// trust offers to agree to the file that was just written. It asks only a person
// at a terminal who did not say that nothing be asked; a no is an answer, and
// the first run asks again.
func (i *setup) trust(ctx context.Context) error {
	a := i.a
	if i.view.Trusted || i.o.yes || a.json || !a.InIsTTY || a.Err.Columns == nil {
		return nil
	}
	root := i.view.Project.Root
	var v wire.TrustView
	if err := client.Call(ctx, i.d, wire.TrustShow, wire.TrustRequest{Workspace: root}, &v); err != nil {
		return err
	}
	if !v.Trusted {
		err := a.agree(ctx, root, v)
		var e *wire.Error
		if errors.As(err, &e) && e.Code == wire.NeedsPerson {
			a.note(render.Note(e.Message))
			return nil
		}
		if err != nil {
			return err
		}
	}
	i.view.Trusted = true
	return nil
}
