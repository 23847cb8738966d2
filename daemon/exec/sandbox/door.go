package sandbox

import (
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
)

// display is the word for the sockets of graphical displays: who reaches one
// can type into the terminal of a person.
const display = "display"

// door is a way in which a program could have something done outside, as the
// user, by something that is no part of the effect.
type door struct {
	word  string // that allows it
	files string // of this user, with the words of expand; globs
	names string // of variables that hold a path, or an address with one
}

var doors = []door{
	{"tmux", "$TMP/tmux-$UID $TMUX/tmux-$UID $TMP/zellij-$UID $TMP/uscreens/S-* /run/screen $HOME/.screen $RUN/zellij", "SCREENDIR"},
	{"dbus", "$RUN/bus $RUN/dbus-1 /run/dbus/system_bus_socket", "DBUS_SESSION_BUS_ADDRESS"},
	{"systemd", "$RUN/systemd /run/systemd/private", ""},
	{"docker", "/run/docker.sock /run/containerd/containerd.sock /run/podman/podman.sock /run/crio/crio.sock $RUN/docker.sock $RUN/podman " +
		"$HOME/.docker/run/docker.sock $HOME/.docker/desktop/docker.sock $HOME/.colima/default/docker.sock $HOME/.rd/docker.sock", "DOCKER_HOST CONTAINER_HOST"},
	{"ssh-agent", "$TMP/ssh-*/agent.* $HOME/.ssh/agent $RUN/keyring $RUN/ssh-agent* $RUN/openssh_agent $HOME/.1password/agent.sock", "SSH_AUTH_SOCK"},
	{"gpg-agent", "$HOME/.gnupg/S.* $RUN/gnupg", ""},
	{"editor", "$TMP/emacs$UID $RUN/emacs $TMP/vscode-* $RUN/vscode-*", "VSCODE_IPC_HOOK_CLI NVIM"},
	{display, "$RUN/wayland-*", ""},
}

// Words are those of sandbox.allow, beside paths.
func Words() []string {
	var out []string
	for _, d := range doors {
		out = append(out, d.word)
	}
	return out
}

// paths are those of the door that exist.
func (d door) paths(p *planner) []string {
	var out []string
	for _, pattern := range strings.Fields(d.files) {
		if strings.HasSuffix(pattern, "/tmux-$UID") {
			// A server that starts later would make it, and be in reach.
			_ = os.Mkdir(p.expand(pattern), 0o700) // another's, or there already
		}
		found, _ := filepath.Glob(p.expand(pattern))
		out = append(out, slices.DeleteFunc(found, p.foreign)...)
	}
	for _, name := range strings.Fields(d.names) {
		for _, value := range []string{p.env[name], p.Getenv(name)} {
			if path := addressed(value); path != "" {
				out = append(out, path)
			}
		}
	}
	return out
}

// expand fills in where things of this user are.
func (p *planner) expand(pattern string) string {
	run := p.value("XDG_RUNTIME_DIR")
	if !filepath.IsAbs(run) {
		run = "/run/user/" + strconv.Itoa(p.UID)
	}
	tmux := p.value("TMUX_TMPDIR")
	if !filepath.IsAbs(tmux) {
		tmux = p.Temp
	}
	return strings.NewReplacer("$UID", strconv.Itoa(p.UID), "$HOME", p.Home, "$TMP", p.Temp, "$TMUX", tmux, "$RUN", run).Replace(pattern)
}

// foreign says that a file in a folder of all belongs to another user, whose
// sockets are closed to this one.
func (p *planner) foreign(path string) bool {
	info, err := os.Lstat(path)
	if err != nil || !Within(p.Temp, path) {
		return err != nil
	}
	st, ok := info.Sys().(*syscall.Stat_t)
	return ok && int(st.Uid) != p.UID
}

// addressed is the path in an address: of D-Bus, of docker, or plain.
func addressed(value string) string {
	for part := range strings.SplitSeq(value, ";") {
		for _, prefix := range []string{"unix:path=", "unix://", ""} {
			rest, ok := strings.CutPrefix(part, prefix)
			rest, _, _ = strings.Cut(rest, ",")
			if ok && filepath.IsAbs(rest) {
				return filepath.Clean(rest)
			}
		}
	}
	return ""
}
