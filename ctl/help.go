package ctl

import (
	"strings"

	"github.com/spf13/cobra"

	"autopilot/ctl/render"
	"autopilot/events"
)

func newHelp() *cobra.Command {
	return &cobra.Command{
		Use:               "help [COMMAND | TOPIC]",
		Short:             "Help for a command or a topic",
		ValidArgsFunction: completeHelp,
		RunE: func(cmd *cobra.Command, args []string) error {
			found, rest, err := cmd.Root().Find(args)
			if err != nil || len(rest) > 0 {
				return unknownTopic(cmd.Root(), args[0])
			}
			found.InitDefaultHelpFlag()
			return found.Help()
		},
	}
}

// unknownTopic is the fault for a word that has no help; its nearest may be
// commands and topics.
func unknownTopic(root *cobra.Command, word string) error {
	near := nearest(root, word)
	for _, c := range root.Commands() {
		if c.IsAdditionalHelpTopicCommand() && strings.HasPrefix(c.Name(), word[:min(len(word), 4)]) {
			near = append(near, c.Name())
		}
	}
	return render.UnknownCommand(word, "apctl help", near)
}

func completeHelp(cmd *cobra.Command, args []string, _ string) ([]cobra.Completion, cobra.ShellCompDirective) {
	found, _, err := cmd.Root().Find(args)
	if err != nil {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	var names []cobra.Completion
	for _, c := range found.Commands() {
		if c.IsAvailableCommand() || c.IsAdditionalHelpTopicCommand() {
			names = append(names, cobra.CompletionWithDesc(c.Name(), c.Short))
		}
	}
	return names, cobra.ShellCompDirectiveNoFileComp
}

// topics are help pages that are no commands.
func topics() []*cobra.Command {
	return []*cobra.Command{
		{
			Use:   "exit-codes",
			Short: "What each exit code means",
			Long:  "Exit codes of apctl:\n\n" + exitTable(),
		},
		{
			Use:   "environment",
			Short: "Which variables a run gets, and which apctl reads",
			Long:  environmentHelp,
		},
		{
			Use:   "agents",
			Short: "How an agent is called, its result file, and script agents",
			Long:  agentHelp,
		},
		{
			Use:   "findings",
			Short: "What a person hands to a run with --findings",
			Long:  findingsHelp,
		},
		{
			Use:   "holdout",
			Short: "Gates with files that the agent does not see",
			Long:  holdoutHelp,
		},
	}
}

const holdoutHelp = `A held-out gate finds code that was written for the visible tests alone:

  apctl run "parse durations" --gate test='pytest -q' \
    --holdout-dir ../held --holdout accept='pytest -q tests'

The files of --holdout-dir are laid over the work tree for held-out gates alone,
each at its own path: ../held/tests/test_more.py runs as tests/test_more.py. The
gates run at the baseline, and later whenever all else passes. The sandbox hides
the folder from every agent and gate. The agent learns pass or fail and a count,
"failed (3 of 10)"; apctl why and apctl logs show the rest to you alone.

Keep the folder outside of the repository. In the work tree it must not be
tracked: git show would show it. Let commands name no held-out file where the
agent reads them, as in .autopilot/config.yaml (holdout.dir, holdout.gates).

What these gates write is thrown away, and they cannot write elsewhere. A folder
that changes during the run halts it (drift). With --sandbox off, on macOS, or
where a chat does the work, nothing hides the folder, and done says so.
`

const findingsHelp = `apctl run --findings FILE and apctl resume RUN --findings FILE hand findings to
a run: what a person, or a reviewer outside of it, has found. FILE is one JSON
list, - is standard input:

  [{"evidence_ref": "docs/plan.md:12", "priority": 0, "detail": "three before two"}]

evidence_ref says what it is about, and each finding needs one. priority may be
left out: 0 blocks, and so does none; of a text its first digits count. detail is
any text. They go into the prompt of the next agent as they are, but for secrets.

With resume they begin the budget anew, as a note does, and the failures that
were seen before stay known. Where a workflow has more than one phase they go to
the first one in which somebody works, or to --phase NAME, and the run goes on
from there; never to a phase that it has not come to.
`

const environmentHelp = `A run gets these variables of your shell, and no others:

  PATH HOME USER LOGNAME SHELL LANG LC_* TERM TZ TMPDIR XDG_*
  EDITOR VISUAL PAGER COLORTERM HTTP_PROXY HTTPS_PROXY ALL_PROXY NO_PROXY
  (and in lower case) SSL_CERT_FILE SSL_CERT_DIR NODE_EXTRA_CA_CERTS
  GO* NODE* NPM_* npm_config_* NVM_* PYTHON* PYENV_* UV_* PIP_* VIRTUAL_ENV
  CONDA_* CARGO* RUST* JAVA_HOME MAVEN_* GRADLE_* DOTNET_* ASDF_* MISE_*
  *_API_KEY ANTHROPIC_* CLAUDE_* OPENAI_* CODEX_* GEMINI_* GOOGLE_*
  AWS_* AZURE_* OPENCODE_* OPENROUTER_* MISTRAL_* OLLAMA_* VERTEX_REGION_*
  CLOUD_ML_*

What an agent program sets for the session that it runs is left out of these,
as CLAUDECODE, CLAUDE_CODE_ENTRYPOINT, CODEX_SANDBOX, GEMINI_CLI and OPENCODE:
a new agent would take itself for a child of it. apctl agent show lists them.

Names that end in TOKEN are left out unless they belong to a model's family
(the last three lines), and so is SSH_AUTH_SOCK: an agent that works alone gets
a key that can push or publish only when you say so. Send one more with
--env NAME (your value) or --env NAME=VALUE. AUTOPILOT_* is never sent: what the
daemon itself sets for agents and gates is in apctl help agents.

apctl itself reads:

  AUTOPILOT_STATE   state directory (else $XDG_STATE_HOME/autopilot)
  FA_HANDOFF        1: who starts a run at a terminal hands over its approvals
  XDG_RUNTIME_DIR   where the socket is (else /tmp/autopilot-<uid>)
  XDG_CONFIG_HOME   where your autopilot/config.yaml is
  AUTOPILOT_AGENT, AUTOPILOT_MODEL, AUTOPILOT_MAX_ITERATIONS, AUTOPILOT_FOR,
  AUTOPILOT_UNTIL, AUTOPILOT_MAX_USD, AUTOPILOT_MAX_TOKENS,
  AUTOPILOT_MAX_TURNS, AUTOPILOT_GIT_PUSH, AUTOPILOT_GIT_HISTORY,
  AUTOPILOT_IDLE, AUTOPILOT_ITERATION_TIMEOUT,
  AUTOPILOT_GATE_TIMEOUT   set what files set, and win over them: apctl help config
  NO_COLOR, TERM    no colour; TERM=dumb also means no refreshing line
  LC_ALL, LC_CTYPE, LANG   C or POSIX means ASCII marks
`

var agentHelp = `--agent NAME takes ` + events.AgentNames() + `,
or one of the configuration: apctl agent ls. It edits files and runs the
commands of the gates unasked; what else it may do is in apctl agent show NAME,
--permissions full lets it do anything. A command of a gate with * in it is not
allowed in advance where the program would take that for any text.

--agent-cmd CMD is run by /bin/sh -c in the workspace, once for each iteration.
The prompt comes on standard input. The command finds in its environment:

  AUTOPILOT_RUN_ID  AUTOPILOT_PHASE  AUTOPILOT_ITERATION
  AUTOPILOT_ROLE          the role in which it works or looks, where it has one
  AUTOPILOT_PROMPT_FILE   the prompt as a file
  AUTOPILOT_RESULT_FILE   where it may write a result
  AUTOPILOT_SOCKET        the daemon, for reading
  AUTOPILOT_EFFECT        id of this call; where it is set, apctl starts neither
                          a daemon nor a run, and decides nothing. Gates have it too
  AUTOPILOT_AGENT_CAP     how many sub-agents the machine bears, where it has a cap
  AUTOPILOT_MODE          the mode of a whole session, in workflow sessions

It may print lines of its own, of which each begins with ::autopilot: totals of
what it used, its state, a claim, a question.

  ::autopilot {"v":1,"type":"usage","input_tokens":1200,"cost_usd":0.02}
  ::autopilot {"v":1,"type":"need_human","question":"Which database?"}

The result is optional and never a verdict:

  {"v":1,"claim":"progress|done|blocked","summary":"","question":null}

Unless the gates pass, a question waits for a person, who answers it with apctl
answer; the next prompt has the answer. It is a text, and may have "options" (2
to 4 texts), "recommended" (the number of one) and a "reason". A claim of blocked
without a question, with a "reason", halts the run as needs-person: apctl why
shows it, apctl resume -m goes on.

--script FILE is an agent without a model, for trying and testing:

  iterations:
    - edit: {hello.txt: "hello\n"}
      rm: [old.txt]
      run: ["gofmt -w ."]
      print: ["working"]
      sleep: 1s
      exit: 0
      result: {claim: done, summary: "said hello"}

The last iteration repeats.
`
