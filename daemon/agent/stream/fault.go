package stream

import (
	"bytes"
	"slices"
	"strings"
)

// Fault is what a provider, or the program, says of a failure in fields of its own.
type Fault struct {
	// Codes are its words, most telling first: the code, then the type and the status.
	Codes   []string
	Status  int    // of HTTP
	Message string // its sentence, without what is around it
}

// maxFaults bounds how deep the object of a failure may lie in others.
const maxFaults = 4

// FaultOf finds the object of a failure in a text: the answer of a provider as it came.
func FaultOf(t string) (Fault, bool) {
	return faultIn([]byte(t[:min(len(t), maxTail)]), 0)
}

func faultIn(b []byte, depth int) (Fault, bool) {
	for i := bytes.IndexByte(b, '{'); i >= 0 && depth < maxFaults; {
		var w walk
		w.begin()
		switch w.on(b[i:]) {
		case whole:
			var a arena
			o, _ := a.parse(b[i:])
			if f := faultFrom(o, depth); len(f.Codes) > 0 || f.Status > 0 && f.Message != "" {
				return f, true
			}
			i += w.at
		default:
			i++
		}
		n := bytes.IndexByte(b[i:], '{')
		if n < 0 {
			break
		}
		i += n
	}
	return Fault{}, false
}

// faultFrom reads the shapes that providers use: the members themselves, or in error,
// in errors, in response or in the text of a body; what lies deeper says more.
func faultFrom(o object, depth int) Fault {
	f := Fault{Message: o.first("message", "detail", "error_description", "error_message", "errorMessage")}
	for _, key := range []string{"code", "type", "status", "errorType", "error_type", "reason", "name", "error"} {
		f.add(o.word(key))
	}
	for _, key := range []string{"status", "statusCode", "status_code", "httpStatus", "code"} {
		if n := int(o.count(key)); f.Status == 0 && n >= 100 && n < 600 {
			f.Status = n
		}
	}
	if depth >= maxFaults {
		return f
	}
	for _, key := range []string{"error", "cause", "response", "data"} {
		if in := o.at(key); in.m != nil {
			f = f.within(faultFrom(in, depth+1))
		}
	}
	for _, key := range []string{"errors", "error", "details"} {
		o.each(key, func(in object) {
			if in.m != nil {
				f = f.within(faultFrom(in, depth+1))
			}
		})
	}
	for _, key := range []string{"responseBody", "body", "message", "error"} {
		if in, ok := faultIn([]byte(o.text(key)), depth+1); ok {
			f = f.within(in)
		}
	}
	return f
}

// codes are its words in one.
func (f Fault) codes() string { return strings.Join(f.Codes, " ") }

// add keeps a word that can be a code.
func (f *Fault) add(code string) {
	if code == "" || strings.ContainsAny(code, " \n") || slices.Contains(f.Codes, code) || len(f.Codes) >= maxOpen {
		return
	}
	f.Codes = append(f.Codes, code)
}

// within is f with what lies in it, which is said first.
func (f Fault) within(in Fault) Fault {
	for _, c := range f.Codes {
		in.add(c)
	}
	if in.Status == 0 {
		in.Status = f.Status
	}
	if in.Message == "" {
		in.Message = f.Message
	}
	return in
}

// failure reads what a member, an object or a text, tells of a failure.
func failure(o object, key string) Fault {
	if in := o.at(key); in.m != nil {
		return faultFrom(in, 0)
	}
	f, _ := FaultOf(o.text(key))
	f.Message = o.text(key)
	return f
}
