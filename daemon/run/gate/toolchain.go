package gate

import (
	"path/filepath"

	"autopilot/daemon/run/installed"
)

// toolchains adds the libraries of the toolchains that the pinned PATH leads to. A program
// of a version manager starts one of several toolchains: all of them are added.
func (o *outside) toolchains() {
	for _, program := range []string{"go", "node", "python3", "python", "ruby"} {
		if path := realPath(o.look(program)); path != "" && !o.inWorkspace(path) { // the link in a virtual environment leads to its base
			o.libraries(filepath.Dir(filepath.Dir(path)))
		}
	}
	o.libraries(o.goValue("GOROOT"))
	if mods := o.goValue("GOMODCACHE"); mods != "" {
		for _, root := range matches(mods, "golang.org/toolchain@*") {
			o.libraries(root)
		}
	}
	for _, m := range []struct{ name, pattern string }{
		{"PYENV_ROOT", "versions/*"},
		{"RBENV_ROOT", "versions/*"},
		{"ASDF_DATA_DIR", "installs/*/*"},
		{"ASDF_DATA_DIR", "installs/golang/*/go"},
		{"MISE_DATA_DIR", "installs/*/*"},
		{"VOLTA_HOME", "tools/image/node/*"},
		{"RUSTUP_HOME", "toolchains/*"},
	} {
		if dir := o.value(m.name); dir != "" {
			for _, root := range matches(dir, m.pattern) {
				o.libraries(root)
			}
		}
	}
}

// libraries adds the libraries of a toolchain at root, for the languages of the work tree.
func (o *outside) libraries(root string) {
	if root == "" || o.inWorkspace(root) {
		return
	}
	tools := installed.Root{Kind: installed.Tools}
	if o.of.Go && isDir(filepath.Join(root, "src", "runtime")) {
		o.glob(tools, root, "src", "bin", "pkg/tool")
	}
	if o.of.Node {
		o.glob(installed.Root{}, root, "lib/node_modules")
	}
	if o.of.Python {
		o.glob(installed.Root{}, root, "lib/python3*/site-packages", "lib/python3*/dist-packages", "local/lib/python3*/dist-packages")
		o.glob(tools, root, "lib/python3*")
	}
	if o.of.Ruby {
		o.glob(installed.Root{Kind: installed.Gems}, root, "lib/ruby/gems/*")
		o.glob(tools, root, "lib/ruby/[0-9]*", "lib/ruby/site_ruby", "lib/ruby/vendor_ruby")
	}
	if o.of.Rust && isDir(filepath.Join(root, "lib", "rustlib")) {
		o.glob(installed.Root{}, root, "bin") // components add programs
		o.glob(tools, root, "lib/rustlib/*/lib")
	}
}
