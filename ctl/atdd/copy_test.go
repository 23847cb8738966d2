package atdd

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"autopilot/events/wire"
	"autopilot/projections/atdd"
)

func piece(file, text string) wire.AtddPiece {
	return wire.AtddPiece{File: file, Text: text, Whole: strings.HasSuffix(file, ".pin")}
}

func (p place) copies(commit bool) *Copy {
	c := &Copy{Call: Call{Environ: os.Environ(), Dir: p.dir}, Dir: p.dir, Commit: commit}
	if err := c.Ready(context.Background()); err != nil {
		p.t.Fatal(err)
	}
	return c
}

// TestFilesOfARunAreWrittenWhereNothingElseIs: all of them, or none.
func TestFilesOfARunAreWrittenWhereNothingElseIs(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name     string
		log, pin string // that are there
		want     string // what is written, or an error
	}{
		{"nothing is there", "", "", atdd.DesignPin + " " + atdd.LogFile},
		{"some rows are", "a\n", "", atdd.DesignPin + " " + atdd.LogFile},
		{"all is", "a\nb\n", "new\n", ""},
		{"with line ends of Windows", "\ufeffa\r\nb\r\n", "new\r\n", ""},
		{"without the last line end", "a\nb", "new", ""},
		{"half a row is", "{", "", "has rows that are not of this run"},
		{"the pin was emptied", "a\nb\n", " ", "pins something else"},
		{"A15 more rows are", "a\nb\nc\n", "", "has rows that are not of this run"},
		{"other rows are", "x\n", "", "has rows that are not of this run"},
		{"another pin is", "", "old\n", "pins something else"},
	} {
		p := newPlace(t)
		for name, text := range map[string]string{atdd.LogFile: c.log, atdd.DesignPin: c.pin} {
			if text != "" {
				p.write(name, text)
			}
		}
		var f Files
		for _, x := range []wire.AtddPiece{piece(atdd.LogFile, "a\n"), piece(atdd.DesignPin, "old one\n"), piece(atdd.LogFile, "b\n"), piece(atdd.DesignPin, "new\n")} {
			f.Add(x)
		}
		wrote, err := p.copies(false).All(f)
		var other *OtherError
		if errors.As(err, &other) {
			if other.What != c.want || p.text(atdd.LogFile) != c.log || p.text(atdd.DesignPin) != c.pin {
				t.Errorf("%s: %v", c.name, err)
			}
			continue
		}
		log, pin := "a\nb\n", "new\n"
		if c.want == "" { // it is left as it is
			log, pin = c.log, c.pin
		}
		if err != nil || strings.Join(wrote, " ") != c.want || p.text(atdd.LogFile) != log || p.text(atdd.DesignPin) != pin {
			t.Errorf("%s: %v %q", c.name, err, wrote)
		}
	}
}

// TestA20EachRowIsCommittedAlone, as soon as it is written; one that is there is
// not written again.
func TestA20EachRowIsCommittedAlone(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	git := func(args ...string) string {
		t.Helper()
		cmd := exec.Command("git", args...)
		cmd.Dir = p.dir
		out, err := cmd.CombinedOutput()
		if err != nil {
			t.Fatalf("git %q: %v %s", args, err, out)
		}
		return strings.TrimSpace(string(out))
	}
	git("init", "-q")
	git("config", "user.name", "a")
	git("config", "user.email", "a@b")
	p.write("other", "not staged")
	rows := []wire.AtddPiece{piece(atdd.DesignPin, "x\n"), piece(atdd.LogFile, "a\n"), piece(atdd.LogFile, "b\n")}
	for range 2 {
		c := p.copies(true)
		for _, r := range rows {
			if _, err := c.Put(t.Context(), r); err != nil {
				t.Fatal(err)
			}
		}
	}
	want := "chore(autopilot): pin autopilot-design.pin\nchore(autopilot): record autopilot-log.jsonl\nchore(autopilot): record autopilot-log.jsonl"
	if d := cmp.Diff(want, git("log", "--reverse", "--format=%s")); d != "" {
		t.Error(d)
	}
	if got := git("status", "--porcelain"); got != "?? other" {
		t.Errorf("status %q", got)
	}
	c := p.copies(true)
	git("add", "other")
	for _, r := range rows {
		if _, err := c.Put(t.Context(), r); err != nil {
			t.Fatal(err)
		}
	}
	var why *GitError
	if _, err := c.Put(t.Context(), piece(atdd.LogFile, "c\n")); !errors.As(err, &why) || !strings.Contains(why.What, "staged there: other") {
		t.Errorf("%v", err)
	}
	if err := os.WriteFile(filepath.Join(p.dir, atdd.LogFile), []byte("z\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	git("reset", "-q")
	var other *OtherError
	if _, err := p.copies(true).Put(t.Context(), rows[1]); !errors.As(err, &other) {
		t.Errorf("%v", err)
	}
}

// TestA15WhatOthersDoWhileARunIsFollowedEndsThat: nothing is written upon it.
func TestA15WhatOthersDoWhileARunIsFollowedEndsThat(t *testing.T) {
	t.Parallel()
	rows := []wire.AtddPiece{piece(atdd.DesignPin, "x\n"), piece(atdd.LogFile, "{a}\n"), piece(atdd.LogFile, "{b}\n")}
	for _, c := range []struct{ name, file, text, want string }{
		{"a row is edited", atdd.LogFile, "{c}\n{b}\n", atdd.LogFile + " was changed by somebody else"},
		{"a row is taken out", atdd.LogFile, "{a}\n", atdd.LogFile + " was changed"},
		{"all are", atdd.LogFile, "", atdd.LogFile + " was changed"},
		{"one is added", atdd.LogFile, "{a}\n{b}\n{c}\n", atdd.LogFile + " was changed"},
		{"a member is forged", atdd.LogFile, "{a}\n{b,b}\n", atdd.LogFile + " was changed"},
		{"the log is gone", atdd.LogFile, "-", atdd.LogFile + " is gone"},
		{"the pin is gone", atdd.DesignPin, "-", atdd.DesignPin + " is gone"},
		{"it is emptied", atdd.DesignPin, "", atdd.DesignPin + " was changed"},
		{"only line ends", atdd.LogFile, "\ufeff{a}\r\n{b}\r\n", ""},
	} {
		p := newPlace(t)
		m := p.copies(false)
		for _, r := range rows {
			if _, err := m.Put(t.Context(), r); err != nil {
				t.Fatal(err)
			}
		}
		p.write(c.file, c.text)
		if c.text == "-" {
			if err := os.Remove(filepath.Join(p.dir, c.file)); err != nil {
				t.Fatal(err)
			}
		}
		_, err := m.Put(t.Context(), piece(atdd.LogFile, "{d}\n"))
		var other *OtherError
		switch {
		case c.want == "" && (err != nil || p.text(atdd.LogFile) != c.text+"{d}\n"):
			t.Errorf("%s: %v %q", c.name, err, p.text(atdd.LogFile))
		case c.want != "" && (!errors.As(err, &other) || !strings.Contains(other.Error(), c.want) || strings.Contains(p.text(atdd.LogFile), "{d}")):
			t.Errorf("%s: %v %q", c.name, err, p.text(atdd.LogFile))
		}
	}
}
