package omx

import (
	"errors"
	"fmt"
	"slices"
	"strings"
)

// SkillActive is the mode whose file lists the skills that are active.
const SkillActive = "skill-active"

// Modes are those that have a state, for reading and for writing (quirk Q39: the
// release writes modes that it does not read).
func Modes() []string {
	return []string{
		"autopilot", "autoresearch", "team", "ralph", "ultrawork", "ultraqa",
		"ralplan", "deep-interview", "ultragoal", SkillActive,
	}
}

// exclusive are the modes that only one of may be active (seeds 4.3).
var exclusive = []string{"autopilot", "ralph", "ultrawork"}

// supervised are the modes that are phases of an autopilot that is active: they do not
// start a mode of their own there (seeds 4.1.1). Behind a mode are the phases in which
// it may be active beside it.
var supervised = map[string][]string{
	"deep-interview": nil, "ralplan": nil, "ultragoal": nil, "ultraqa": nil,
	"team":  {"ultragoal", "rework", "team"},
	"ralph": {"ralph"},
}

// follows has the modes that a mode completes when it begins.
//
// Source: oh-my-codex 0.21.6, workflow transitions.
var follows = map[string][]string{
	"autopilot":    {"deep-interview", "ralplan"},
	"autoresearch": {"deep-interview", "ralplan"},
	"ralph":        {"deep-interview", "ralplan"},
	"team":         {"deep-interview", "ralplan"},
	"ultragoal":    {"deep-interview", "ralplan"},
	"ultrawork":    {"deep-interview"},
	"ralplan":      {"deep-interview"},
	"ultraqa":      {"ultragoal"},
}

// CheckID refuses what is no session id (lesson O6).
func CheckID(id string) error {
	if !segment(id) {
		return fmt.Errorf("the session id %q is none: it has 1 to 64 of A-Z, a-z, 0-9, _ and -", cut(id))
	}
	return nil
}

// CheckName refuses what cannot name the file of a mode (lesson O6).
func CheckName(mode string) error {
	switch {
	case mode == "":
		return errors.New("no mode is named: give one, as in --mode autopilot")
	case strings.Contains(mode, ".."):
		return fmt.Errorf(`the mode %q has ".." in it`, cut(mode))
	case strings.ContainsAny(mode, `/\`):
		return fmt.Errorf("the mode %q has a separator of paths in it", cut(mode))
	case !segment(mode):
		return fmt.Errorf("the mode %q is none: it has 1 to 64 of A-Z, a-z, 0-9, _ and -", cut(mode))
	}
	return nil
}

// CheckMode is CheckName for modes that are known.
func CheckMode(mode string) error {
	if err := CheckName(mode); err != nil {
		return err
	}
	if !slices.Contains(Modes(), mode) {
		return fmt.Errorf("mode must be one of: %s; it is %q", strings.Join(Modes(), ", "), mode)
	}
	return nil
}

func segment(s string) bool {
	if s == "" || len(s) > 64 {
		return false
	}
	for _, c := range []byte(s) {
		if (c < 'a' || c > 'z') && (c < 'A' || c > 'Z') && (c < '0' || c > '9') && c != '_' && c != '-' {
			return false
		}
	}
	return true
}

func cut(s string) string {
	if len(s) > 80 {
		return strings.ToValidUTF8(s[:80], "") + "..."
	}
	return s
}

// Completes are the active modes that a mode completes when it begins.
func Completes(mode string, active []string) []string {
	var done []string
	for _, m := range active {
		if m != mode && slices.Contains(follows[mode], m) {
			done = append(done, m)
		}
	}
	return done
}

// beside says why a mode must not begin beside those that are active.
//
// Source: oh-my-codex, seeds 4.1.1 and 4.3; lesson O5; quirk Q40. The release refuses
// nothing.
func (w World) beside(mode string) error {
	if in, is := supervised[mode]; is && slices.Contains(w.Active, "autopilot") && !slices.Contains(in, w.Phase) {
		return fmt.Errorf("autopilot is active in phase %s, and %s is a phase of it: write current_phase of mode autopilot", w.Phase, mode)
	}
	if !slices.Contains(exclusive, mode) {
		return nil
	}
	if len(w.Broken) > 0 {
		return fmt.Errorf("%s cannot be read, so %s does not begin: mend that file, or clear its mode (apctl compat omx state clear)", w.Broken[0], mode)
	}
	for _, m := range slices.Concat(w.Active, w.Elsewhere) {
		if m != mode && slices.Contains(exclusive, m) && (mode != Ralph || w.Phase != Ralph) {
			return fmt.Errorf("%s is active in this workspace, and %s does not run beside it: end it first (apctl compat omx cancel)", m, mode)
		}
	}
	return nil
}
