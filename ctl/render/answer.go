package render

import (
	"errors"
	"fmt"
	"strings"

	"autopilot/events"
	"autopilot/events/wire"
	"autopilot/projections/phrase"
	"autopilot/projections/visible"
)

// Question is what a run asks a person, as far as it is known here.
func (s Style) Question(v wire.RunView) string {
	q := v.Question
	if q == nil {
		return ""
	}
	s = s.Of(v)
	text := s.questionHead(v) + "\n" + s.asked(q.Text)
	if q.Cut > 0 {
		text += s.say("\n%s more are not shown; all of it: apctl answer %s --show", "\nほか %s は表示していません。全体を表示するには: apctl answer %s --show", Size(int64(q.Cut)), Line(v.Handle)) + "\n"
	}
	return text
}

// LongQuestion says that a question leaves the screen before it is read.
func LongQuestion(v wire.RunView) bool {
	return strings.Count(v.Question.Text, "\n") > manyLines || len(v.Question.Text) > manyBytes
}

// manyBytes are read in pages too, where they are few lines.
const manyBytes = 16 << 10

// QuestionRead is a question that a person has read in pages, or has in a file.
func (s Style) QuestionRead(v wire.RunView, file string) string {
	s = s.Of(v)
	q := v.Question
	head, _, _ := strings.Cut(q.Text, "\n\n")
	text := s.questionHead(v) + "\n" + s.asked(head+"\n")
	if n := len(q.Files) + q.More; n > 0 {
		text += s.say("It is about %s.", "対象は %s です。", s.count(n, "file", "ファイル")) + "\n"
	}
	return text + "\n" + s.say("All of it, %s, %s:", "全体(%s、%s):", s.count(strings.Count(q.Text, "\n"), "line", "行"), Size(int64(len(q.Text)))) + "\n  " + Line(file) + "\n"
}

// questionHead names the run and the gate that ask, and since when they wait.
func (s Style) questionHead(v wire.RunView) string {
	q := v.Question
	var b strings.Builder
	again := ""
	if q.Again {
		again = s.say(", again", "(再提示)")
	}
	title := s.say("%s of phase %s asks you%s", "%s(フェーズ %s)からの質問です%s", s.asker(*q), Line(q.Phase), again)
	if q.Handoff {
		title = s.acceptedTitle(*q)
	}
	b.WriteString(s.paint(bold, Line(v.Handle)) + "  " + s.paint(yellow, title) + "\n")
	expires := ""
	if q.Expires != nil {
		expires = s.Clock(*q.Expires)
	}
	b.WriteString(s.facts([][2]string{
		{s.say("task", "タスク"), s.cut(s.task(v), s.room(s.margin()))},
		{s.say("workspace", "ワークスペース"), Line(v.Workspace)},
		{s.say("since", "質問日時"), s.listed(s.Clock(q.Since), s.ago(Age(s.since(q.Since))))},
		{s.say("expires", "回答期限"), expires},
		{s.say("set", "対象"), Hash(q.Set)},
		{s.say("draft", "ドラフト PR"), Line(q.Link)},
		{s.say("needs", "必要条件"), s.needs(*q)},
	}))
	return b.String()
}

// fewLines is how much of a question is shown beside other things.
const fewLines = 12

// AsksYou says that a run waits for a person, with what and how to answer.
func (s Style) AsksYou(v wire.RunView) string {
	s = s.Of(v)
	q, h := v.Question, Line(v.Handle)
	text := strings.Split(strings.TrimSpace(Clean(q.Text)), "\n")
	more := ""
	if n := len(text) - fewLines; n > 0 {
		text, more = text[:fewLines], "  "+s.say("and %s more", "ほか %s", s.count(n, "line", "行"))+"\n"
	}
	rows := [][]string{{s.say("answer:", "回答:"), "apctl answer " + h}, {s.say("follow:", "表示:"), "apctl watch " + h}, {s.say("stop:", "停止:"), "apctl stop " + h}}
	if q.Expires != nil {
		rows = append(rows, []string{s.say("expires:", "期限:"), s.Clock(*q.Expires)})
	}
	return s.paint(bold, h) + "  " + s.paint(yellow, s.say("%s asks you, and the run waits for the answer", "%sからの質問です。回答を待っています", s.asker(*q))) + "\n" +
		indent("  ", strings.Join(text, "\n")+"\n") + more + table(rows)
}

// needs says which proof an answer needs, where that is more than a terminal.
func (s Style) needs(q wire.QuestionView) string {
	if q.Assurance == string(events.AssuredTTY) || q.Assurance == string(events.AssuredSession) {
		return ""
	}
	return s.say("assurance %s", "本人確認 %s", Line(q.Assurance))
}

// asked is the text of a question: what has changed is coloured as a diff is. What is
// asked, before the files, is put into lines; files are shown as they are.
func (s Style) asked(text string) string {
	var b strings.Builder
	diff, files := false, false
	for l := range strings.Lines(visible.Text(text)) {
		l = strings.TrimSuffix(l, "\n")
		if files = files || strings.HasPrefix(l, "  "); !files && s.Width > 0 && columns(l) > s.room(0) {
			b.WriteString(s.wrap(l, ""))
			continue
		}
		diff = diff || strings.HasPrefix(l, "diff --git ")
		if diff {
			l = s.DiffLine(l)
		}
		b.WriteString(l + "\n")
	}
	return b.String()
}

// asksOf is a question in one line.
func (s Style) asksOf(v wire.RunView) string {
	if v.Question == nil {
		return ""
	}
	text, _, _ := strings.Cut(v.Question.Text, "\n")
	return s.cut(Line(text), s.room(s.margin()))
}

// AnswerKeys asks for an answer.
func (s Style) AnswerKeys(q wire.QuestionView) string {
	switch q.Kind {
	case "approval":
		if q.Handoff {
			return s.rejectKeys()
		}
		return s.say("\n%s approves all of it, %s takes what you found, %s leaves it (Enter): ", "\n%s で全体を承認、%s で指摘を入力して差し戻し、%s で保留 (Enter): ",
			s.paint(bold, "ok"), s.paint(bold, "no"), s.paint(bold, "later"))
	case "choice":
		t := s.say("\nA to %c, or later (Enter)", "\nA から %c、または later で保留 (Enter)", 'A'+rune(max(q.Options, 1)-1))
		if q.Recommended > 0 {
			t += s.say("; recommended is %c", "。推奨は %c", 'A'+rune(q.Recommended-1))
		}
		return t + ": "
	}
	if q.Gate != "" {
		return s.say("\nYour answer in one line, skip to go on without an answer, or Enter to decide later: ", "\n回答を 1 行で入力してください。skip で省略、Enter で保留: ")
	}
	return s.say("\nYour answer in one line, or Enter to decide later: ", "\n回答を 1 行で入力してください。Enter で保留: ")
}

// FindingSection asks what the next finding is about.
func (s Style) FindingSection(n int) string {
	if n == 1 {
		return s.say("\nWhat you found, one section at a time, as FILE:LINE or a heading. P1 before it\nsays that it does not block. The next agent gets it as you write it.\nsection 1: ",
			"\n指摘を 1 か所ずつ、FILE:LINE または見出しで入力してください。\n箇所の先頭に P1 と付けると必須ではない指摘になります。\n内容はそのまま次の作業者に渡ります。\n箇所 1: ")
	}
	return s.say("section %d, or Enter to end: ", "箇所 %d (Enter で終了): ", n)
}

// SectionTwice says that a section has a finding already.
func (s Style) SectionTwice(section string) string {
	return s.say("%s has one already; write one finding for each section\n", "%s には入力済みです。1 か所につき 1 件にまとめてください\n", Line(section))
}

// SkipReason asks why an interview is skipped.
func (s Style) SkipReason() string {
	return s.say("\nYour reason in one line, or Enter to decide later: ", "\n省略する理由を 1 行で入力してください。Enter で保留: ")
}

// FindingText asks for what is wrong with a section.
func (s Style) FindingText() string {
	return s.say("what is wrong: ", "問題点: ")
}

// AnswerAsk is the challenge before an answer.
func (s Style) AnswerAsk(choice, word string) string {
	does := s.say("answer", "回答する")
	switch events.Choice(choice) {
	case events.ChoiceOK:
		does = s.say("approve", "承認する")
	case events.ChoiceNo:
		does = s.say("reject", "差し戻す")
	default:
	}
	return s.challenge(s.say("%s it", "%s", does), word, false)
}

// SeenAsk asks for the start of the hash of a file that no text can show.
func (s Style) SeenAsk(f wire.OpaqueFile) string {
	if f.Path == "" {
		return s.say("\nNo text can show %s of these files, and each has its SHA-256 above. The SHA-256 of\nthat list is %s.\nIts first %d characters, once you have looked at them all, or Enter to leave it: ",
			"\nテキスト表示できないファイル(計 %s)の SHA-256 は上に表示されています。その一覧の SHA-256 は\n%s です。\nすべて確認したら先頭 %d 文字を入力してください。Enter で保留: ", Size(f.Bytes), f.Hash, wire.SeenCharacters)
	}
	return s.say("\nNo text can show %s. The first %d characters of its SHA-256, or Enter to leave it: ",
		"\n%s はテキスト表示できません。SHA-256 の先頭 %d 文字を入力してください。Enter で保留: ", Line(f.Path), wire.SeenCharacters)
}

// Answered says what became of an answer.
func (s Style) Answered(v wire.RunView, q wire.QuestionView, choice string) string {
	s = s.Of(v)
	said := map[string]string{"text": s.say("in your words", "自由記述"), "skip": s.say("go on without it", "省略")}[choice]
	if said == "" {
		said = Line(choice)
	}
	if q.Kind == "choice" {
		said = strings.ToUpper(said)
	}
	return s.say("answered: %s, %s", "回答済み: %s、%s", s.asker(q), said) + "\n" + s.head(v) + "\n" + s.takenAsItIs(v)
}

// asker names the caller.
func (s Style) asker(q wire.QuestionView) string {
	if q.Gate == "" {
		return s.say("the agent", "エージェント")
	}
	return s.say("gate %s", "ゲート %s", Line(q.Gate))
}

// LeftOpen says that nothing was answered.
func (s Style) LeftOpen(v wire.RunView) string {
	return s.Of(v).say("nothing was answered; run %s waits", "回答していません。実行 %s は待機中です", Line(v.Handle)) + "\n"
}

// The faults of answers.

// NotAnswered says that nobody can be asked.
func NotAnswered(v wire.RunView, why error) *wire.Error {
	return &wire.Error{
		Code: wire.NeedsPerson, Message: "nothing was answered: " + why.Error(),
		Hint: "apctl answer " + Line(v.Handle) + "   asks a person at a terminal",
	}
}

// WrongWord says that something else was typed.
func WrongWord(v wire.RunView, want, typed string) *wire.Error {
	what := "that is not " + want
	if typed == "" {
		what = "nothing was typed"
	}
	return &wire.Error{
		Code: wire.NeedsPerson, Message: what + ", so nothing was answered",
		Hint: "apctl answer " + Line(v.Handle) + "   asks again",
	}
}

// TypeAgain asks again after a slip; what was typed before is kept.
func (s Style) TypeAgain(problem string) string {
	return "\n" + Line(problem) + "\n" + s.say("Your texts are kept. Type it again, or only Enter to leave it open.", "入力した内容は残っています。もう一度入力するか、Enter だけで保留します。") + "\n"
}

// KeepAnswer adds to a fault the command that gives the same texts again, so that nobody
// has to write them twice.
func KeepAnswer(v wire.RunView, req wire.AnswerRequest, err error) error {
	var e *wire.Error
	if !errors.As(err, &e) || req.Text == "" && len(req.Findings) == 0 {
		return err
	}
	words := "apctl answer " + Line(v.Handle) + " " + req.Choice
	switch {
	case req.Choice == string(events.ChoiceSkip):
		words += " -m " + phrase.Quote(Line(req.Text))
	case req.Text != "":
		words = "apctl answer " + Line(v.Handle) + " " + phrase.Quote(Line(req.Text))
	}
	for _, f := range req.Findings {
		section := f.Section
		if f.Priority > 0 {
			section = fmt.Sprintf("P%d %s", f.Priority, section)
		}
		words += " -m " + phrase.Quote(Line(section+": "+f.Text))
	}
	kept := *e
	kept.Hint = strings.TrimSpace(e.Hint + "\n" + words + "   gives the same answer")
	return &kept
}

// OtherSet says that what a person has looked at is not what is asked about.
func OtherSet(v wire.RunView, given string) *wire.Error {
	return &wire.Error{
		Code: wire.Conflict, Message: fmt.Sprintf("run %s asks about the set %s, not %s, so nothing was answered", Line(v.Handle), Hash(v.Question.Set), Line(given)),
		Hint: "apctl answer " + Line(v.Handle) + "   shows it",
	}
}

// NotSeen says that what was typed is not the hash of a file.
func NotSeen(v wire.RunView, f wire.OpaqueFile) *wire.Error {
	of := Line(f.Path)
	if of == "" {
		of = "the files that no text can show"
	}
	return &wire.Error{
		Code: wire.NeedsPerson, Message: "that is not the start of the SHA-256 of " + of + ", so nothing was answered",
		Hint: "apctl answer " + Line(v.Handle) + " --show   shows it",
	}
}

// NoEditor says that no program is set that could open a file.
func NoEditor() *wire.Error {
	return usage("EDITOR=vi apctl answer --open", "--open needs a program in VISUAL or EDITOR")
}

// NotPaged says why a text is shown at once, and not in pages.
func NotPaged(program string, err error) string {
	return Note(fmt.Sprintf("%s cannot show it in pages (%v), so it follows at once", Line(program), err))
}

// ShortSet is a hash that says too little.
func ShortSet(given string) *wire.Error {
	return usage("--set takes 6 to 64 characters of the hash that was shown", "%q is not a hash of a set", given)
}

// NeitherRunNorAnswer is one word that names no run and answers no approval.
func NeitherRunNorAnswer(word string) *wire.Error {
	return &wire.Error{
		Code: wire.NotFound, Message: fmt.Sprintf("%q is neither a run nor a valid answer", word),
		Hint: "apctl answer   shows what is asked; an approval takes ok, no or later\napctl answer RUN TEXT   answers with a text of one word",
	}
}

// BadFinding is a finding without a section or a text.
func BadFinding(text string) *wire.Error {
	return usage("-m 'FILE:LINE: TEXT', or -m 'HEADING: TEXT'", "%q names no section", text)
}

// FindingsFor are findings with an answer that takes none.
func FindingsFor(choice string) *wire.Error {
	if choice == "ok" {
		return usage("apctl answer no -m 'SECTION: TEXT'   rejects it with your finding", "ok approves the whole set; findings need no")
	}
	return usage("apctl answer no -m 'SECTION: TEXT'", "findings go with no")
}

// NoFinding is a rejection that says nothing.
func NoFinding() *wire.Error {
	return usage("apctl answer no -m 'SECTION: TEXT'", "no needs a finding: it is all that the next agent learns")
}

// BadChoice is a word that is no answer to a question.
func BadChoice(v wire.RunView, word string) *wire.Error {
	return usage("apctl answer "+Line(v.Handle)+"   shows what it asks", "%q is not an answer to what %s asks", word, Style{}.asker(*v.Question))
}
