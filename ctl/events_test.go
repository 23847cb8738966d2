package ctl

import (
	"errors"
	"strings"
	"testing"

	"autopilot/events/wire"
)

func TestAStreamThatBreaksOffSaysWhereToGoOn(t *testing.T) {
	t.Parallel()
	broken := wire.Errorf(wire.Unreachable, "the daemon is stopping")
	var of, all *wire.Error
	if !errors.As(goOnBehind(broken, "12", false), &of) || !errors.As(goOnBehind(broken, "1.18.52a9", true), &all) {
		t.Fatal("the error is another one")
	}
	if of.Hint != "go on with --after 12" || of.Cursor != "12" {
		t.Errorf("%+v", of)
	}
	// A roll ends the daemon and the places of its log.
	if !strings.HasPrefix(all.Hint, "go on with --after 1.18.52a9; after a roll of the log, without --after") {
		t.Errorf("%+v", all)
	}
}
