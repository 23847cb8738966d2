package route

import (
	"slices"
	"strings"

	"autopilot/projections/regex"
)

// Route is the way that acceptance tests take (atdd-kit, section 3.8).
type Route string

// The routes.
const (
	RouteFull   Route = "full"
	RouteBugfix Route = "bugfix"
	RouteFlaky  Route = "flaky"
)

// By says what a route was decided by.
type By string

// What decides, in this order.
const (
	ByLabel     By = "label"
	ByKeyword   By = "keyword"
	ByJudgement By = "judgement"
	ByDefault   By = "default"
)

// Words of routes. Japanese has no bounds between words.
var (
	flakyWords = either(anyOf(`flaky`, `flak(?:e|es|iness)`, `intermittent(?:ly)?`, `non-?deterministic(?:ally)?`, `sometimes (?:fails?|passes)`, `(?:fails?|failing) (?:sometimes|randomly|now and then|at times|once in a while)`),
		`フレ[ーイ]キー`, `不安定な?テスト`, `テスト(?:が|は)?不安定`, `(?:時々|ときどき|時折|たまに|まれに|稀に|ランダムに|断続的に)(?:失敗|落ち|こけ|コケ|通ら)`, `間欠的`, `非決定的`)
	bugWords    = either(anyOf(`bugs?`, `bugfix`, `regression`, `hotfix`), `バグ`, `不具合`, `デグレ`)
	brokenWords = either(anyOf(`fails?`, `failing`, `broken`, `crash(?:es|ed)?`, `wrong(?:ly)?`, `panics?`, `error`, `exception`, `does ?n[o']t work`, `no longer`),
		`失敗(?:する|し)`, `落ちる`, `壊れ`, `クラッシュ`, `動かない`, `動作しない`, `できない`, `エラー`, `例外`, `おかしい`, `間違っ`)
	makingWords = either(anyOf(`add`, `implement`, `create`, `build`, `introduce`, `support`, `new`, `feature`),
		`追加`, `実装`, `作成`, `作って`, `新しい`, `新規`, `導入`, `新機能`)
)

// either matches a pattern, or any of the texts wherever it stands.
func either(words *regex.Lazy, texts ...string) *regex.Lazy {
	return regex.New(words.String() + `|` + strings.Join(texts, "|"))
}

// Of decides the route: by label, of those that are given or that the text has,
// then keyword, then judgement; the default is the full one. Ask says that it is not
// sure: what is broken and what is new are both in the text, so a person is asked.
func Of(text string, labels []string) (r Route, by By, ask bool) {
	labels = slices.Concat(labels, labelsIn(text))
	for _, l := range []struct {
		label string
		route Route
	}{{"type:flaky", RouteFlaky}, {"type:bug", RouteBugfix}} {
		if slices.ContainsFunc(labels, func(s string) bool { return strings.EqualFold(strings.TrimSpace(s), l.label) }) {
			return l.route, ByLabel, false
		}
	}
	t := prosed(text)
	making := makingWords.MatchString(t)
	switch {
	case flakyWords.MatchString(t):
		return RouteFlaky, ByKeyword, making
	case bugWords.MatchString(t):
		return RouteBugfix, ByKeyword, making
	}
	switch broken := brokenWords.MatchString(t); {
	case broken && making:
		return RouteFull, ByDefault, true
	case broken:
		return RouteBugfix, ByJudgement, false
	}
	return RouteFull, ByDefault, false
}

var (
	labelLine = regex.New("(?i)^[ \t>*_-]*(?:labels?|ラベル)[*_]*[ \t]*[:：][*_]*(.*)$")
	typeLine  = regex.New(`(?i)^type[ \t]*:(.*)$`)
	listLine  = regex.New(`^[ \t]*-[ \t]+(.*)$`)
	inLabel   = regex.New("[\\[\\]\"'`#]")
)

// labelsIn are the labels that the text of an issue has: of a line that begins with
// labels:, in its front matter or outside of it, of the list that follows such a line,
// and type: of its front matter.
func labelsIn(text string) (labels []string) {
	add := func(list string) {
		for l := range strings.SplitSeq(inLabel.ReplaceAllString(list, ""), ",") {
			labels = append(labels, strings.Join(strings.Fields(l), ""))
		}
	}
	front, list := false, false
	for i, line := range strings.Split(strings.TrimPrefix(text, "\uFEFF"), "\n") {
		line = strings.TrimRight(line, " \t\r")
		item := listLine.FindStringSubmatch(line)
		switch m := labelLine.FindStringSubmatch(line); {
		case line == "---":
			front, list = i == 0, false
		case m != nil:
			add(m[1])
			list = strings.Trim(m[1], " \t*_") == ""
		case list && item != nil:
			add(item[1])
		default:
			list = list && line == ""
			if t := typeLine.FindStringSubmatch(line); front && t != nil {
				add("type:" + t[1])
			}
		}
	}
	return labels
}
