package workflow_test

import (
	"strings"
	"testing"

	"autopilot/daemon/run/workflow"
	"autopilot/events"
)

// wordy is a workflow with an approval that says something.
func wordy(says string) string {
	return strings.Replace(short, "gates: [goals]", "gates: [goals, {name: ok, kind: approval, of: [a.md], "+says+"}]", 1)
}

// Seeds 3.7: no limit of 12 characters, in either language.
func TestAnApprovalSaysInEachLanguageWhatItMeans(t *testing.T) {
	t.Parallel()
	w, err := workflow.Parse([]byte(wordy("question: {ja: 設計一式を承認して実装を始めてもよいですか。, en: Approve the design and begin to build it?}, means: ok begins the work")))
	if err != nil {
		t.Fatal(err)
	}
	g := w.Phases[0].Gates[1]
	for l, want := range map[events.Language]string{"en": "Approve the design and begin to build it?", "ja": "設計一式を承認して実装を始めてもよいですか。", "": "Approve the design and begin to build it?"} {
		if got := g.Question.In(l); got != want {
			t.Errorf("%q: %q", l, got)
		}
	}
	if got := g.Means.In(events.Japanese); got != "ok begins the work" {
		t.Errorf("a text for all: %q", got)
	}
	if got := (workflow.Words{{Key: "ja", Value: "質問"}}).In(events.English); got != "質問" || workflow.Words(nil).In("en") != "" {
		t.Errorf("a text in another language: %q", got)
	}
}

func TestWordsThatSayNothingAreRefused(t *testing.T) {
	t.Parallel()
	for says, want := range map[string]string{
		"question: ''":                        "blank",
		"question: {}":                        "no text",
		"question: {fr: oui}":                 "unknown word",
		"means: {en: ok, ja: ' '}":            "blank",
		"means: \"a\\nb\"":                    "several lines",
		"means: \"a\\u001b[2J\"":              "control characters",
		"means: " + strings.Repeat("x", 1001): "1001 characters",
		"means: [ok]":                         "mapping",
		"means: ok}, {name: b, kind: review, role: c, question: why": "has no question",
	} {
		_, err := workflow.Parse([]byte(wordy(says)))
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%.60s: %v, want %q", says, err, want)
		}
	}
}
