package omx

import (
	"slices"
	"strings"
	"time"
)

// locators are the members of a verdict that say where its evidence is.
var locators = []string{"artifact_path", "url", "review_url", "qa_url", "thread_id", "tool_call_id", "agent_id"}

// cleanReview says what a verdict of the review lacks to be clean.
//
// Source: oh-my-codex, seeds 4.1.2; lesson O38; oh-my-codex 0.21.6, evidence of
// code-review. The stage may be left out, as the contract does.
func cleanReview(o Object, w World, p Profile) *Gap {
	lacks := func(missing string) *Gap {
		return gap("code-review-evidence", missing, "the review is not clean")
	}
	v := field(o, "review_verdict")
	stage := v.Text("stage")
	switch {
	case !v.True("clean"):
		return lacks("clean: true in review_verdict")
	case stage != Review && (p == Advisory || stage != ""):
		return lacks("stage: code-review in review_verdict")
	case strings.ToUpper(v.Text("recommendation")) != "APPROVE":
		return lacks("recommendation: APPROVE in review_verdict")
	case strings.ToUpper(v.Text("architectural_status")) != "CLEAR":
		return lacks("architectural_status: CLEAR in review_verdict")
	case ofQA(v), ci(v.Text("url")):
		return lacks("evidence of a review: what review_verdict names is that of QA or of a build")
	case p == Advisory:
		if !locatesReview(v) {
			return lacks("a place of the evidence in review_verdict")
		}
		return nil
	}
	if strings.Contains(strings.ToLower(v.Text("source")), "leader") {
		return lacks("a review by somebody else: the summary of the leader is none")
	}
	for _, n := range []string{"findings", "open_findings", "unresolved_findings", "issues"} {
		for _, f := range v.List(n) {
			if openFinding(f) {
				return lacks("an end of the finding that is open in review_verdict." + n)
			}
		}
	}
	return resolved(o, v, w, lacks)
}

// openFinding says that a finding is not marked as resolved.
func openFinding(v []byte) bool {
	f, err := Parse(v)
	if err != nil {
		return true
	}
	return !f.True("resolved") && !slices.Contains([]string{"resolved", "fixed", "closed", "wontfix"}, strings.ToLower(f.Text("status")))
}

// cleanQA says what a verdict of QA lacks to be clean.
//
// Source: oh-my-codex, seeds 4.1.2; oh-my-codex 0.21.6, evidence of ultraqa.
func cleanQA(o Object, w World, p Profile) *Gap {
	lacks := func(missing string) *Gap {
		return gap("ultraqa-evidence", missing, "QA has not passed")
	}
	v := field(o, "qa_verdict")
	source, stage := strings.ToLower(v.Text("source")), v.Text("stage")
	switch {
	case !v.True("clean"):
		return lacks("clean: true in qa_verdict")
	case stage != QA && (p == Advisory || stage != ""):
		return lacks("stage: ultraqa in qa_verdict")
	case source == "leader", strings.Contains(source, Review), ofReview(v):
		return lacks("evidence of QA: what qa_verdict names is that of the leader or of the review")
	case v.True("skipped") && v.FirstText("reason", "skip_reason") == "":
		return lacks("the reason why QA was skipped")
	case p == Advisory:
		if !locatesQA(v) {
			return lacks("a place of the evidence in qa_verdict")
		}
		return nil
	case strings.Contains(source, "leader"):
		return lacks("QA by somebody else: the summary of the leader is none")
	}
	return resolved(o, v, w, lacks)
}

// apart says whether the verdicts have evidence of their own.
func apart(o Object) *Gap {
	r, q := field(o, "review_verdict"), field(o, "qa_verdict")
	for _, a := range locators {
		for _, b := range locators {
			if r.Text(a) != "" && r.Text(a) == q.Text(b) {
				return gap("ultraqa-evidence", "evidence of its own in qa_verdict", "review and QA name the same evidence")
			}
		}
	}
	return nil
}

// resolved says whether a place of a verdict leads somewhere, and to something of this
// cycle. Free text leads nowhere; the release takes it.
func resolved(o, v Object, w World, lacks func(string) *Gap) *Gap {
	since := returned(o)
	if path := v.Text("artifact_path"); path != "" {
		f := w.file(path)
		switch {
		case !f.There || !f.Inside:
			return lacks("the file " + cut(path) + " below the working directory")
		case !since.IsZero() && f.Modified.Before(since.Truncate(time.Millisecond)):
			return lacks("evidence of this cycle: the file " + cut(path) + " is older than the return")
		}
		return nil
	}
	if id := v.FirstText("thread_id", "agent_id"); id != "" {
		t := w.thread(id)
		switch {
		case !t.Known || t.Leader:
			return lacks("a sub-agent with the id " + cut(id) + " in subagent-tracking.json")
		case t.Completed.IsZero() || t.Completed.Before(since):
			return lacks("the end of the sub-agent " + cut(id) + " in this cycle")
		}
		return nil
	}
	address := v.FirstText("review_url", "qa_url", "url")
	switch {
	case address == "":
		return lacks("a place of the evidence: artifact_path, thread_id or a URL")
	case !web(address):
		return lacks("a URL in the place of " + cut(address))
	case usedBefore(o, address):
		return lacks("evidence of this cycle: an earlier one has named " + cut(address))
	}
	return nil
}

// web says that a text is an address on the web.
func web(s string) bool {
	rest, is := strings.CutPrefix(s, "https://")
	if !is {
		rest, is = strings.CutPrefix(s, "http://")
	}
	host, _, _ := strings.Cut(rest, "/")
	return is && strings.Trim(host, ".:@?#[]") != "" && !strings.ContainsAny(s, " \t\r\n\"<>\\^`{|}")
}

func ofQA(v Object) bool {
	return mentions(v, "ultraqa", "qa_verdict", "qa-verdict", "qaverdict", "qa_evidence", "qa-evidence", "qaevidence")
}

func ofReview(v Object) bool {
	return mentions(v, Review, "code_review", "codereview", "review_verdict", "review-verdict", "reviewverdict",
		"review_evidence", "review-evidence", "reviewevidence") || mentions(v, "reviews")
}

// mentions says that a place of a verdict has one of these words in it.
func mentions(v Object, words ...string) bool {
	for _, n := range []string{"source", "artifact_path", "url", "review_url", "qa_url"} {
		s := strings.ToLower(v.Text(n))
		if slices.ContainsFunc(words, func(w string) bool { return hasWord(s, w) }) {
			return true
		}
	}
	return false
}

func hasWord(s, word string) bool {
	for from := 0; ; {
		i := strings.Index(s[from:], word)
		if i < 0 {
			return false
		}
		i += from
		j := i + len(word)
		if (i == 0 || !letter(s[i-1])) && (j == len(s) || !letter(s[j])) {
			return true
		}
		from = i + 1
	}
}

func letter(c byte) bool {
	return c == '_' || c >= '0' && c <= '9' || c >= 'a' && c <= 'z'
}

func ci(address string) bool {
	s := strings.ToLower(address)
	return strings.Contains(s, "github.com/") && strings.Contains(s, "/actions/runs/")
}

func locatesReview(v Object) bool {
	if v.Text("artifact_path") != "" {
		return ofReview(v)
	}
	return v.FirstText("review_url", "thread_id", "agent_id", "tool_call_id", "url") != ""
}

func locatesQA(v Object) bool {
	if path := strings.ToLower(v.Text("artifact_path")); path != "" {
		return ofQA(v) || hasWord(path, "qa")
	}
	return v.FirstText("qa_url", "tool_call_id", "thread_id") != "" || ci(v.Text("url"))
}
