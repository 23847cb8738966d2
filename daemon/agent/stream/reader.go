package stream

import (
	"bytes"
	"cmp"
	"hash/maphash"
	"strconv"
	"strings"
)

const (
	maxLine = 1 << 20 // bytes of a line, or of an object, that are kept
	maxTail = 8 << 10 // bytes of text that a Summary keeps
	maxOpen = 64      // tools and tasks that are remembered until they end
)

// Reader reads one program's output.
type Reader struct {
	emit   func(Item)
	line   func(*Reader, object) // by format; nil is text in lines
	sum    Summary
	buf    []byte // what is kept of the line that has begun
	size   int    // bytes of that line
	end    byte   // its last byte that is not white space
	over   excess // how it is kept short
	lost   bool   // its beginning is not known
	begun  bool   // something was read
	arena  arena  // of the line that is read
	walk   walk   // of the object that is looked for
	open   begun  // the object that goes on in the next line
	broken int    // bytes of pieces of objects that are to be told
	quiet  bool   // what is read was told as text
	last   roll
	plains roll

	tools    ring // names of tools by the id of their use
	spent    spent
	repeats  repeats
	speaking bool   // the last item is a piece of a text
	step     bool   // of opencode: one has begun and not ended
	message  string // the id of the last one, of goose
}

// New makes a reader. It gives items to emit, nil for none, from within Write,
// Gap and End.
func New(f Format, emit func(Item)) *Reader {
	if emit == nil {
		emit = func(Item) {}
	}
	known := Of(string(f)).form()
	r := &Reader{emit: emit, line: known.line, sum: Summary{Format: known.format, UsageFrom: Unknown, CostFrom: Unknown}}
	r.sum.Cumulative = known.cumulative
	r.repeats.seed = maphash.MakeSeed()
	return r
}

// Write reads the next bytes. It takes all of them, always.
func (r *Reader) Write(p []byte) (int, error) {
	n := len(p)
	for len(p) > 0 {
		i := bytes.IndexByte(p, '\n')
		if i < 0 {
			r.add(p)
			break
		}
		if r.size == 0 && i < maxLine {
			r.whole(p[:i])
		} else {
			r.add(p[:i])
			r.finish()
		}
		p = p[i+1:]
	}
	return n, nil
}

// Gap says that bytes are missing here: what is left of their line is skipped.
func (r *Reader) Gap() {
	r.finish()
	r.giveUp()
	r.lost = true
}

// End reads a last line that has no end of its own, and gives the summary.
func (r *Reader) End() Summary {
	r.finish()
	r.giveUp()
	return r.Summary()
}

// Between says that nothing is half read: no line, and no object of several lines.
func (r *Reader) Between() bool { return r.size == 0 && len(r.open.b) == 0 }

// Summary is what is known so far.
func (r *Reader) Summary() Summary {
	s := r.sum
	s.Last, s.Plain, s.Prompt = r.last.text(), r.plains.text(), r.Prompt()
	s.Repeat, s.RepeatNow, s.Stale = r.repeats.most, r.repeats.now, r.repeats.stale
	if r.line == nil {
		s.Last = s.Plain
	}
	return s
}

// Trying says that the last thing that came is an error after which the program
// tries again.
func (r *Reader) Trying() bool { return r.sum.Trying != (Trying{}) }

// trim takes off what is around a line: white space, NUL, and a byte order mark
// at the very beginning.
func (r *Reader) trim(line []byte) []byte {
	if !r.begun {
		line = bytes.TrimPrefix(line, []byte("\xef\xbb\xbf"))
		r.begun = len(line) > 0
	}
	return bytes.Trim(line, " \t\r\x00")
}

// whole reads a line of which everything is there that was kept.
func (r *Reader) whole(line []byte) {
	if r.lost {
		r.lost = false
		return
	}
	indented := len(line) > 0 && (line[0] == ' ' || line[0] == '\t')
	printed := bytes.TrimRight(line, "\r\x00")
	line = r.trim(line)
	if len(line) == 0 {
		return
	}
	r.sum.Lines++
	if r.line == nil {
		r.lined(line, indented)
		return
	}
	r.arena.m = r.arena.m[:0]
	switch o, end := r.arena.parse(line); {
	case end == len(line) && len(o.tag("type")) > 0 && (len(r.open.b) == 0 || !indented):
		if r.passes() {
			r.take(line) // other objects were read in between
		} else {
			r.object(o)
		}
	case len(r.open.b) > 0:
		r.goOn(printed)
	default:
		r.begin(r.find(printed, nil, true))
	}
	r.tellBroken()
}

func (r *Reader) object(o object) {
	unknown := r.sum.Unknown
	if r.line(r, o); r.sum.Unknown == unknown {
		r.sum.Known++
	}
}

// text notes what is not of the stream. Of what is left of an object it only says
// how long it is.
func (r *Reader) text(b []byte) {
	b = bytes.Trim(b, " \t\r\x00")
	if len(bytes.Trim(b, "[], \t")) == 0 || r.quiet {
		return // a list of objects
	}
	if b[0] != '{' {
		r.aside(b)
		return
	}
	r.sum.Junk++
	r.broken += len(b)
}

// tellBroken says how much was left of objects.
func (r *Reader) tellBroken() {
	if r.broken > 0 {
		r.emit(Item{Kind: Plain, Text: "(a broken line of " + strconv.Itoa(r.broken) + " bytes)"})
	}
	r.broken = 0
}

// aside is text that is not of the stream. Of a line that is too long it is told
// once.
func (r *Reader) aside(b []byte) {
	if r.quiet || r.over.told {
		return
	}
	t := clean(valid(b[:min(len(b), maxTail)], len(b) > maxTail))
	if r.sum.Format == Opencode && r.opencodeLog(t) {
		return
	}
	r.sum.Junk++
	r.plains.add(t + "\n")
	r.emit(Item{Kind: Plain, Text: t})
}

// lined is a line of a program that prints text. One of the protocol is no text.
func (r *Reader) lined(line []byte, indented bool) {
	if r.sum.Format == Text && !indented && r.protocol(line) {
		return
	}
	t := valid(line[:min(len(line), maxText)], len(line) > maxText)
	if r.sum.Format == Aider && !indented && r.aider(clean(t)) {
		return
	}
	r.said(t)
}

// said is a line of a program without a stream.
func (r *Reader) said(line string) {
	r.plains.add(clean(line) + "\n")
	r.emit(Item{Kind: Said, Text: line})
}

// says is what the agent said.
func (r *Reader) says(t string, sub bool) {
	if strings.TrimSpace(t) == "" {
		return
	}
	if !sub {
		r.last.set(t)
	}
	r.sum.Trying = Trying{}
	r.emit(Item{Kind: Said, Text: t, Sub: sub})
}

// uses is a tool that is used. By its name and the parts of its whole input it
// is known again; without parts it is like no other.
func (r *Reader) uses(id, name, input string, sub bool, parts ...[]byte) {
	r.sum.Tools++
	r.sum.Trying = Trying{}
	r.tools.put(id, name, r.repeats.count(name, input, parts))
	r.emit(Item{Kind: Tool, Name: name, Text: input, Sub: sub})
}

// returns is a tool that came back, with the parts of its result.
func (r *Reader) returns(id, name, why string, failed, sub bool, parts ...[]byte) {
	if t, use, ok := r.tools.take(id); ok {
		name = t
		r.repeats.back(use, failed, parts)
	}
	if !failed {
		why = ""
	}
	r.sum.Trying = Trying{}
	r.emit(Item{Kind: Done, Name: name, Text: short(why), Failed: failed, Sub: sub})
}

// fails is an error of which the program says a text; the fields of an object in it
// count.
func (r *Reader) fails(name, message string, status int, passing bool) {
	f, _ := FaultOf(message)
	if f.Message = message; status > 0 {
		f.Status = status
	}
	r.faults(name, f, passing)
}

// faults is an error; one that passes changes nothing but what it tries again after.
func (r *Reader) faults(name string, f Fault, passing bool) {
	said, codes := tail(f.Message), f.codes()
	if passing {
		r.sum.Retries++
		r.sum.Trying = Trying{Error: name, Message: said, Codes: codes, Status: f.Status}
	} else {
		r.sum.Trying = Trying{}
		r.sum.Error, r.sum.Message, r.sum.Codes, r.sum.Status = name, said, codes, f.Status
	}
	r.emit(Item{Kind: Error, Name: name, Text: f.Message, Status: f.Status, Passing: passing})
}

// ends is the last event.
func (r *Reader) ends(typ, reason, message string, failed bool) {
	r.sum.Ended, r.sum.Final, r.sum.Failed, r.sum.Reason = true, typ, failed, reason
	r.sum.Trying = Trying{}
	if message != "" {
		r.sum.Message = tail(message)
	}
	if f, ok := FaultOf(message); ok && failed {
		r.sum.Codes = cmp.Or(r.sum.Codes, f.codes())
		r.sum.Status = cmp.Or(r.sum.Status, f.Status)
	}
	r.emit(Item{Kind: Result, Name: reason, Text: message, Failed: failed, Status: r.sum.Status, Usage: r.sum.Usage})
}

// endsBy is a last event that tells of a failure in fields of its own.
func (r *Reader) endsBy(typ, reason string, f Fault) {
	r.sum.Codes, r.sum.Status = f.codes(), f.Status
	r.ends(typ, reason, f.Message, true)
}

// recovers takes back what was said of a failure.
func (r *Reader) recovers() { r.sum.Error, r.sum.Message, r.sum.Codes = "", "", "" }

// goesOn takes back a last event: more came after it.
func (r *Reader) goesOn() {
	r.sum.Ended, r.sum.Final, r.sum.Failed, r.sum.Reason = false, "", false, ""
	r.recovers()
	r.sum.Status, r.sum.Trying = 0, Trying{}
}

// cost is the cost so far; it never goes down within a turn either.
func (r *Reader) cost(microUSD int64) {
	r.sum.MicroUSD, r.sum.CostFrom = max(r.sum.MicroUSD, microUSD), Reported
}

// used is the usage so far. What was told takes nothing away when a later report
// tells less, as a second result of zeros does.
func (r *Reader) used(u Usage) {
	u = u.atLeast(r.sum.Usage)
	if u == r.sum.Usage && r.sum.UsageFrom == Reported {
		return
	}
	r.sum.Usage, r.sum.UsageFrom = u, Reported
	r.emit(Item{Kind: Used, Usage: u})
}

func (r *Reader) limit(l Limits) {
	r.sum.Limited = l
	r.emit(Item{Kind: Limit, Limited: l})
}
