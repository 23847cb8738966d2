package plot_test

import (
	"encoding/xml"
	"strings"
	"testing"

	"autopilot/daemon/report/retro/plot"
	"autopilot/projections/retro/sheet"
)

func TestDrawings(t *testing.T) {
	t.Parallel()
	text := plot.Text{ID: "f1", Title: `a <b> & "c"`, Desc: "d"}
	head := `aria-labelledby="f1-t f1-d"><title id="f1-t">a &lt;b&gt; &amp; &#34;c&#34;</title><desc id="f1-d">d</desc>`
	for _, tt := range []struct {
		name  string
		s     sheet.Series
		wants []string
		rects int
	}{
		{
			"a strip has a back and its stretches",
			sheet.Series{Segments: []sheet.Segment{{From: 0, To: 250, Class: sheet.Agent}, {From: 250, To: 1000, Class: sheet.Gates}}},
			[]string{`<rect class="agent" x="0" y="0" width="248" height="24"/>`, `<rect class="gates" x="250" y="0" width="750" height="24"/>`},
			3,
		},
		{"a strip may be empty", sheet.Series{}, nil, 1},
		{
			"columns fill the height by the highest",
			sheet.Series{Form: sheet.Columns, Values: []int64{10, 5}, Classes: []sheet.Class{sheet.Plain, sheet.Spent}, Max: 10},
			[]string{`<rect class="plain" x="220" y="0" width="60" height="64"/>`, `<rect class="spent" x="720" y="32" width="60" height="32"/>`},
			3,
		},
		{
			"what is not known has no column, and nothing has a low one",
			sheet.Series{Form: sheet.Columns, Values: []int64{-1, 0}, Classes: []sheet.Class{sheet.None, sheet.Plain}},
			[]string{`<rect class="plain" x="720" y="62.8" width="60" height="1.2"/>`},
			2,
		},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			got := plot.Draw(tt.s, text)
			for _, w := range append(tt.wants, head) {
				if !strings.Contains(got, w) {
					t.Errorf("no %s in %s", w, got)
				}
			}
			if n := strings.Count(got, "<rect"); n != tt.rects {
				t.Errorf("%d rectangles in %s", n, got)
			}
			if err := xml.Unmarshal([]byte(got), new(struct{})); err != nil {
				t.Error(err)
			}
		})
	}
}
