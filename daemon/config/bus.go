package config

import (
	"errors"
	"path/filepath"
	"strings"

	"autopilot/daemon/strictyaml"
	"autopilot/daemon/transport/bus"
	"autopilot/events"
	"autopilot/events/wire"
)

// Bus lets other NATS clients in, over TCP. It is the user's alone: who may
// speak to the daemon is no matter of a project.
type Bus struct {
	Listen     string                   `yaml:"listen"` // HOST:PORT; empty is nowhere
	TLS        BusTLS                   `yaml:"tls"`
	Identities strictyaml.Map[Identity] `yaml:"identities"`
}

// BusTLS names the files of a certificate, in PEM.
type BusTLS struct {
	Cert string `yaml:"cert"`
	Key  string `yaml:"key"`
}

// Identity is who may connect: whoever has the private key.
type Identity struct {
	Key string     `yaml:"key"` // public
	May wire.Class `yaml:"may"` // read (the default) or operate
}

func (f *faults) bus(b Bus) {
	f.tls(b.TLS)
	if f.file.sets("bus.listen") {
		f.listen(b.Listen, f.file.sets("bus.tls"))
	}
	names := map[string]string{} // by key
	for _, e := range b.Identities {
		at := "bus.identities." + e.Key
		f.identity(at, e.Key, e.Value)
		if k := e.Value.Key; k != "" && names[k] != "" {
			f.add(at+".key", "make a key for each: apctl daemon key FILE", "%s has the same", names[k])
		}
		names[e.Value.Key] = e.Key
	}
	for _, e := range b.Identities {
		if errors.Is(bus.CheckKey(e.Value.Key), bus.ErrSeed) {
			f.hide(e.Value.Key)
		}
	}
}

// hide keeps a secret out of what is printed.
func (f *faults) hide(secret string) {
	for i, p := range f.file.Problems {
		if strings.Contains(p.Excerpt, secret) {
			f.file.Problems[i].Excerpt = ""
		}
	}
}

func (f *faults) listen(address string, secure bool) {
	switch err := bus.CheckAddress(address, secure); {
	case errors.Is(err, bus.ErrAddress):
		f.add("bus.listen", "write it as 127.0.0.1:4222", "%q is not an address with a port", address)
	case errors.Is(err, bus.ErrPlain):
		f.add("bus.listen", "listen on 127.0.0.1, or add tls: {cert: FILE, key: FILE}", "%s is reached from other hosts, and %v", address, err)
	}
}

func (f *faults) tls(t BusTLS) {
	for _, m := range []struct{ key, path string }{{"bus.tls.cert", t.Cert}, {"bus.tls.key", t.Key}} {
		switch {
		case !f.file.sets("bus.tls"):
		case m.path == "":
			f.add("bus.tls", "write tls: {cert: FILE, key: FILE}", "%s is missing", strings.TrimPrefix(m.key, "bus.tls."))
		case !filepath.IsAbs(m.path) && !strings.HasPrefix(m.path, "~/"):
			f.add(m.key, "write it as /etc/autopilot/cert.pem or ~/cert.pem", "%q is not an absolute path", m.path)
		}
	}
}

func (f *faults) identity(at, name string, i Identity) {
	if !events.Name(name).Valid() || bus.CheckName(name) != nil {
		f.add(at, "use letters a-z, digits, - and _, at most 20", "%q is not a valid name of an identity", name)
		return
	}
	switch err := bus.CheckKey(i.Key); {
	case errors.Is(err, bus.ErrSeed):
		f.add(at+".key", "write the public key, which begins with U; make a new one if others have read this file", "%v", err)
	case err != nil && !f.file.sets(at+".key"):
		f.add(at, "apctl daemon key FILE   makes one", "the key is missing")
	case err != nil:
		f.add(at+".key", "apctl daemon key FILE   makes one, and says what to write here", "%v", err)
	}
	f.word(at+".may", string(i.May), string(wire.Read), string(wire.Operate))
}

// Listening is what the daemon listens with, nil for nothing. Paths that begin
// with ~ are below home.
func (b Bus) Listening(home string) *bus.Listen {
	if b.Listen == "" {
		return nil
	}
	l := &bus.Listen{Address: b.Listen, Cert: below(home, b.TLS.Cert), Key: below(home, b.TLS.Key)}
	for _, e := range b.Identities {
		r := bus.Remote{Name: e.Key, Key: e.Value.Key, May: e.Value.May}
		if r.May == "" {
			r.May = wire.Read
		}
		l.Identities = append(l.Identities, r)
	}
	return l
}

func below(home, path string) string {
	if rest, ok := strings.CutPrefix(path, "~/"); ok {
		return filepath.Join(home, rest)
	}
	return path
}

// Daemon is the user with what the daemon makes of it: where others connect over
// the network it does not end by itself, as they could not start it again, unless
// the file says after how long.
func (f UserFile) Daemon() User {
	u := f.User
	if u.Bus.Listen != "" && !f.sets("idle") {
		u.Idle = 0
	}
	return u
}
