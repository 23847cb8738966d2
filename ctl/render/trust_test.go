package render_test

import (
	"strings"
	"testing"

	"autopilot/ctl/render"
	"autopilot/events/wire"
)

func TestALongFileIsNotReadOnOneScreen(t *testing.T) {
	t.Parallel()
	v := wire.TrustView{File: "/p/c.yaml", Hash: "ab12cd34", Before: "cd34ab12", Diff: strings.Repeat("+# x\n", 500)}
	if text := (render.Style{}).TrustAsk(v); !strings.Contains(text, "These were 500 lines") {
		t.Errorf("the end is\n%s", text[len(text)-500:])
	}
	if text := (render.Style{}).Trust(v); strings.Contains(text, "These were") {
		t.Error("what is shown in pages says so")
	}
}
