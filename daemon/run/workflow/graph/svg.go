package graph

import (
	"fmt"
	"html"
	"strings"

	"autopilot/daemon/run/workflow"
)

// Sizes in user units. A character of the monospaced text is charWidth wide at
// most in the fonts that are named.
const (
	charWidth    = 7.4
	rowHeight    = 18
	headHeight   = 26
	gapHeight    = 30
	padding      = 14
	labelWidth   = 74
	labelColumns = 10
	laneWidth    = 16
	topHeight    = 58
	minWidth     = 260
)

// style follows the colours of the reader. Its names begin alike, as a drawing
// may be put into a page.
const style = `.wf{background:var(--wf-back);--wf-back:#fff;--wf-box:#f6f8fa;--wf-look:#fff8e6;--wf-line:#8c959f;--wf-text:#1f2328;--wf-dim:#59636e;--wf-way:#0969da;--wf-return:#bc4c00}` +
	`@media(prefers-color-scheme:dark){.wf{--wf-back:#0d1117;--wf-box:#161b22;--wf-look:#2b2411;--wf-line:#6e7681;--wf-text:#e6edf3;--wf-dim:#9198a1;--wf-way:#58a6ff;--wf-return:#f0883e}}` +
	`.wf text{font:12px ui-monospace,SFMono-Regular,Menlo,Consolas,"DejaVu Sans Mono",monospace;fill:var(--wf-text);white-space:pre}` +
	`.wf .wf-h{font-weight:700;font-size:14px}.wf .wf-d{fill:var(--wf-dim)}` +
	`.wf rect{fill:var(--wf-box);stroke:var(--wf-line)}.wf rect.wf-l{fill:var(--wf-look)}` +
	`.wf path{fill:none;stroke:var(--wf-way);stroke-width:1.5}.wf path.wf-r{stroke:var(--wf-return);stroke-dasharray:5 3}` +
	`.wf .wf-a{fill:var(--wf-way);stroke:none}.wf .wf-b{fill:var(--wf-return);stroke:none}.wf .wf-u{fill:var(--wf-return)}`

// SVG draws a workflow as a picture that stands alone.
func SVG(w workflow.Workflow) string {
	s := layout(makeDrawing(w))
	var b strings.Builder
	fmt.Fprintf(&b, `<svg class="wf" xmlns="http://www.w3.org/2000/svg" width="%d" height="%d" viewBox="0 0 %d %d" role="img" aria-labelledby="wf-title wf-desc">`+"\n",
		s.width, s.height, s.width, s.height)
	fmt.Fprintf(&b, "<title id=\"wf-title\">%s</title>\n<desc id=\"wf-desc\">%s</desc>\n<style>%s</style>\n",
		html.EscapeString("Workflow "+s.title), html.EscapeString(Text(w)), style)
	text(&b, padding, 26, "wf-h", s.title)
	text(&b, padding, 44, "wf-d", cut(s.about))
	for i := range s.nodes {
		s.box(&b, i)
	}
	for i := range s.nodes {
		s.edges(&b, i)
	}
	s.end(&b)
	b.WriteString("</svg>\n")
	return b.String()
}

// sheet is a drawing with its places.
type sheet struct {
	drawing
	left, right   int // edges of the boxes
	width, height int
	top           []int // of each box
	lanes         map[[2]int]int
}

func layout(d drawing) sheet {
	s := sheet{drawing: d, lanes: map[[2]int]int{}}
	longest, y := columns(d.about), topHeight
	backs, nexts := lanes{}, lanes{}
	for i, n := range d.nodes {
		s.top = append(s.top, y)
		y += s.high(i) + gapHeight
		longest = max(longest, columns(n.name))
		for _, r := range n.rows {
			longest = max(longest, columns(r.text)+labelColumns)
		}
		if n.back >= 0 {
			s.lanes[[2]int{i, n.back}] = backs.take(n.back, i)
		}
		if n.next > i+1 {
			s.lanes[[2]int{i, n.next}] = nexts.take(i, n.next)
		}
	}
	s.left = padding + len(backs)*laneWidth
	s.right = s.left + max(minWidth, int(float64(min(longest, maxText+labelColumns))*charWidth)+2*padding)
	s.width = s.right + len(nexts)*laneWidth + padding
	s.height = y + headHeight + padding
	return s
}

// lanes are the ways beside the boxes, each with the place down to which it is
// taken.
type lanes []int

// take finds the first lane that is free from a place to another.
func (l *lanes) take(from, to int) int {
	for i, until := range *l {
		if from > until {
			(*l)[i] = to
			return i
		}
	}
	*l = append(*l, to)
	return len(*l) - 1
}

func (s sheet) high(i int) int { return headHeight + len(s.nodes[i].rows)*rowHeight + padding/2 }

func (s sheet) middle() int { return (s.left + s.right) / 2 }

func (s sheet) box(b *strings.Builder, i int) {
	class := ""
	if looks(s.nodes[i]) {
		class = ` class="wf-l"`
	}
	fmt.Fprintf(b, `<rect%s x="%d" y="%d" width="%d" height="%d" rx="6"/>`+"\n", class, s.left, s.top[i], s.right-s.left, s.high(i))
	text(b, s.left+padding, s.top[i]+19, "wf-h", s.nodes[i].name)
	for k, r := range s.nodes[i].rows {
		y, class := s.row(i, k)+4, ""
		if r.label == labelBack {
			class = "wf-u"
		}
		text(b, s.left+padding, y, "wf-d", r.label)
		text(b, s.left+padding+labelWidth, y, class, r.text)
	}
}

// row is the middle of a line of a box.
func (s sheet) row(i, k int) int { return s.top[i] + headHeight + k*rowHeight + rowHeight/2 }

// edges draws where a phase leads.
func (s sheet) edges(b *strings.Builder, i int) {
	n := s.nodes[i]
	if n.next == i+1 || n.next < 0 {
		from, to := s.top[i]+s.high(i), s.height-headHeight-padding
		if n.next > 0 {
			to = s.top[n.next]
		}
		if n.next > 0 || i == len(s.nodes)-1 {
			fmt.Fprintf(b, `<path d="M%d %dV%d"/>`, s.middle(), from, to-7)
			arrow(b, "wf-a", s.middle(), to, 0, -8)
		}
	}
	for k, r := range n.rows {
		switch {
		case r.label == labelBack:
			lane := s.left - (s.lanes[[2]int{i, n.back}]+1)*laneWidth
			fmt.Fprintf(b, `<path class="wf-r" d="M%d %dH%dV%dH%d"/>`, s.left, s.row(i, k), lane, s.top[n.back]+headHeight/2, s.left-7)
			arrow(b, "wf-b", s.left, s.top[n.back]+headHeight/2, -8, 0)
		case r.label == labelNext && n.next > i+1:
			lane := s.right + (s.lanes[[2]int{i, n.next}]+1)*laneWidth
			fmt.Fprintf(b, `<path d="M%d %dH%dV%dH%d"/>`, s.right, s.row(i, k), lane, s.top[n.next]+headHeight/2, s.right+7)
			arrow(b, "wf-a", s.right, s.top[n.next]+headHeight/2, 8, 0)
		}
	}
}

// arrow is a head at x and y; its back is at dx and dy from there.
func arrow(b *strings.Builder, class string, x, y, dx, dy int) {
	fmt.Fprintf(b, `<path class="%s" d="M%d %dL%d %dL%d %dZ"/>`+"\n", class, x, y, x+dx-dy/2, y+dy+dx/2, x+dx+dy/2, y+dy-dx/2)
}

func (s sheet) end(b *strings.Builder) {
	y := s.height - headHeight - padding
	fmt.Fprintf(b, `<rect x="%d" y="%d" width="72" height="%d" rx="13"/>`+"\n", s.middle()-36, y, headHeight)
	fmt.Fprintf(b, `<text x="%d" y="%d" text-anchor="middle" class="wf-h">done</text>`+"\n", s.middle(), y+18)
}

func text(b *strings.Builder, x, y int, class, t string) {
	if class != "" {
		class = ` class="` + class + `"`
	}
	fmt.Fprintf(b, `<text x="%d" y="%d"%s>%s</text>`+"\n", x, y, class, html.EscapeString(t))
}
