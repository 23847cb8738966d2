# Everything is built by Go alone; make only names the commands.
# Settings: PREFIX (install), FUZZTIME, COUNT (race), CUTS (powercut), RUNS (sim), PATHS (lint).

PREFIX   ?= $(HOME)/.local
BINDIR    = $(PREFIX)/bin
SHARE     = $(PREFIX)/share
FUZZTIME ?= 10s
COUNT    ?= 1
CUTS     ?= 10
RUNS     ?= 100
PATHS    ?= ./...

BINARIES  = apctl autopilotd apshim
VERSION  ?= $(shell git describe --always --dirty 2>/dev/null || echo dev)
LDFLAGS   = -s -w -X main.version=$(VERSION)
# Two packages at a time: each test binary may run a server, git and agents. Never
# from the cache: it does not see the programs that tests build and run. The race
# detector would sleep for a second at the end of each of a hundred test binaries.
TEST      = GORACE=atexit_sleep_ms=50 go test -shuffle=on -p 2 -count=1 -timeout 40m
# They play the programs as they are built, without the race detector.
PLAYED    = ./cmd/apctl ./daemon/test/crashtest
GOLANGCI  = go tool -modfile=.ci/tools/go.mod golangci-lint

.DEFAULT_GOAL := build
.PHONY: build man install uninstall dist demo test play sim race fuzz crash powercut diskfull writers land fixtures cheat honest soak herd team agents-real bench pages lint fmt cover cross fresh clean help

help: ## show this list
	@awk -F ':.*## ' '/^[a-z-]+:.*## / {printf "  %-11s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

build: ## build the three programs into bin/
	@test -x bin/autopilotd || echo 'building $(BINARIES); the first build compiles the event server too and takes some minutes'
	@mkdir -p bin
	CGO_ENABLED=0 go build -trimpath -ldflags '$(LDFLAGS)' -o bin/ $(BINARIES:%=./cmd/%)

man: ## write manual pages and completions into bin/
	@go run ./cmd/apman -version '$(VERSION)' -date "$$(git log -1 --format=%cs 2>/dev/null)" bin

install: build man ## install them to $PREFIX (default ~/.local), with manual pages and completions
	@test '$(PREFIX)' != /.local || { echo 'HOME is not set: say where with make install PREFIX=DIR' >&2; exit 1; }
	@mkdir -p '$(BINDIR)'
	@install -m 755 $(BINARIES:%=bin/%) '$(BINDIR)/'
	@mkdir -p '$(SHARE)/man/man1' '$(SHARE)/bash-completion/completions' '$(SHARE)/zsh/site-functions' '$(SHARE)/fish/vendor_completions.d'
	@install -m 644 bin/man1/*.1 '$(SHARE)/man/man1/'
	@install -m 644 bin/completions/apctl.bash '$(SHARE)/bash-completion/completions/apctl'
	@install -m 644 bin/completions/_apctl '$(SHARE)/zsh/site-functions/_apctl'
	@install -m 644 bin/completions/apctl.fish '$(SHARE)/fish/vendor_completions.d/apctl.fish'
	@echo 'installed $(BINARIES) to $(BINDIR)'
	@case ":$$PATH:" in *':$(BINDIR):'*) ;; *) \
		echo '$(BINDIR) is not on your PATH. Add it:'; \
		echo '  export PATH="$(BINDIR):$$PATH"';; esac

uninstall: ## remove what make install wrote; runs and settings stay
	@test '$(PREFIX)' != /.local || { echo 'HOME is not set: say where with make uninstall PREFIX=DIR' >&2; exit 1; }
	@if test -x '$(BINDIR)/apctl'; then '$(BINDIR)/apctl' daemon uninstall >/dev/null 2>&1 || true; '$(BINDIR)/apctl' daemon stop >/dev/null 2>&1 || true; fi
	@rm -f $(BINARIES:%='$(BINDIR)/%') '$(SHARE)/bash-completion/completions/apctl' '$(SHARE)/zsh/site-functions/_apctl' '$(SHARE)/fish/vendor_completions.d/apctl.fish'
	@rm -f '$(SHARE)'/man/man1/apctl.1 '$(SHARE)'/man/man1/apctl-*.1 '$(SHARE)'/man/man1/autopilotd.1 '$(SHARE)'/man/man1/apshim.1
	@echo 'removed $(BINARIES) from $(BINDIR)'
	@echo 'kept: runs and settings, mostly ~/.local/state/autopilot and ~/.config/autopilot'

dist: ## reproducible archives for linux and darwin in dist/, with sums and an installer
	@.ci/dist '$(VERSION)' '$(LDFLAGS)'

demo: build ## a cheat caught, a daemon killed and back, a loop halted
	@.ci/demo.sh

test: sim play ## all tests, shuffled: sim, play, and the rest with the race detector
	$(TEST) -race -vet=off -parallel 4 ./daemon $$(go list ./... | grep -vxF "$$(go list $(PLAYED))") # the long one first; make lint vets

play: ## the built programs: each command in a terminal and in a pipe, crashes, cheats
	$(TEST) -vet=off -parallel 3 $(PLAYED)

sim: ## without the race detector: runs that are cut, killed and lied to at random, RUNS of each, and very long ones
	go test -count=1 -run 'AnyPrefix|EveryEvent|LostAnswers|InPieces|ThatAnAgentSideDoes|NoRun.*WithoutA|OfAnAccountKeep|TenThousand' ./daemon -rapid.checks=$(RUNS)

race: ## all tests with the race detector, COUNT times
	$(TEST) -race -count=$(COUNT) ./...

fuzz: ## every fuzz target for FUZZTIME
	@.ci/fuzz $(FUZZTIME)

crash: ## 200 rounds of SIGKILL at random and named points, then verify
	go test -count=1 -timeout 60m -v -parallel 6 -run TestCrash ./daemon/test/crashtest -crash.rounds=200

powercut: ## as root: CUTS power cuts in the middle of the work, nothing acknowledged is lost
	@.ci/rooted powercut go test -count=1 -timeout 30m -v -run '^TestPowerCut$$' ./daemon/test/crashtest -crash.power=$(CUTS)

diskfull: ## as root: the state's disk runs full, nothing is lost, and all goes on
	@.ci/rooted diskfull go test -count=1 -timeout 10m -v -run '^TestDiskFull' ./daemon/test/crashtest -crash.power=1

land: ## a queue of 30 items with conflicts and red merges, its daemon killed at random: each lands once
	go test -count=1 -timeout 40m -v -run '^TestQueue' ./daemon/test/crashtest -crash.items=30

fixtures: ## each agent of the catalogue of faults: how its end is judged, and how it should be
	go test -count=1 -timeout 20m -v -run '^TestFixtures$$' ./daemon/test/fixturetest ./daemon/test/crashtest

cheat: ## agents that cheat, and what catches them
	@go test -count=1 -timeout 40m -v -run '^Test(Cheat|Tricks)$$' ./daemon/test/crashtest -crash.verdicts

honest: ## agents that do the work in odd ways, and how their runs end
	@go test -count=1 -timeout 40m -v -run '^TestHonest$$' ./daemon/test/crashtest -crash.verdicts

writers: ## 30 sessions at once, 100 commands each: every event is there, once
	go test -count=1 -timeout 20m -v -run '^TestWriters' ./daemon/test/crashtest -crash.writes=100

soak: ## 300 short runs through one daemon, and what it holds after them: one table
	@go test -count=1 -timeout 20m -v -run '^TestSoak$$' ./daemon/test/crashtest -crash.soak=300

herd: ## 24 agents that take memory, started at once, and as root some in a small group: the cap holds
	@go test -count=1 -timeout 40m -v -run 'Herd' ./daemon/test/crashtest -crash.herd

team: ## three real servers and three daemons: kill, stop, cut and restart them; a table of times, and the history judged
	@go test -count=1 -timeout 30m -v -run '^TestTeamFaults$$' ./daemon/test/crashtest -crash.team

agents-real: ## the real agent programs, from npm, against a provider on loopback: one table
	@go test -v -count=1 -timeout 40m ./daemon/agent/realtest -agents.real

bench: build ## one table: each figure beside its floor
	@go test -v -count=1 -timeout 30m ./daemon/test/benchtest -bench.table
	@go test -run '^$$' -bench 'WhoMayBegin|QuietGates' ./daemon ./daemon/host/machine

pages: ## retro pages in a headless Chromium; PAGES=DIR keeps pictures of them
	go test -tags browser -run InABrowser -count 1 ./daemon/report/retro/page

lint: ## golangci-lint, as pinned in .ci/tools
	$(GOLANGCI) run --config .ci/golangci.yml $(PATHS)

fmt: ## format as lint wants it
	$(GOLANGCI) fmt --config .ci/golangci.yml $(PATHS)

cover: ## coverage of all packages by all tests
	go test -p 2 -timeout 15m -coverpkg=./... -coverprofile=cover.out ./...
	@go tool cover -func=cover.out | tail -n 1

cross: ## build and vet for the other platforms
	@set -e; for target in linux/arm64 darwin/arm64; do \
		echo "$$target"; \
		export GOOS=$${target%/*} GOARCH=$${target#*/} CGO_ENABLED=0; \
		go build ./... && go vet ./...; \
	done

fresh: ## clone HEAD, empty HOME, install and demo as a new user would
	@.ci/fresh

clean: ## remove what was built
	rm -rf bin dist cover.out
