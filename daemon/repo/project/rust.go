package project

func readRust(t tree) (part, bool) {
	const file = "Cargo.toml"
	p := part{kind: "rust", from: file}
	b, ok := t.read(file)
	if !ok {
		return p, false
	}
	p.test = "cargo test"
	if _, ok := sections(b)["workspace"]; ok {
		p.says(file, "Cargo workspace")
		p.test = "cargo test --workspace"
	} else {
		p.says(file, "Cargo package")
	}
	if f := t.first("clippy.toml", ".clippy.toml"); f != "" {
		p.says(f, "linted by clippy")
		p.check("lint", "cargo clippy --all-targets", f)
	}
	if f := t.first("rustfmt.toml", ".rustfmt.toml"); f != "" {
		p.says(f, "formatted by rustfmt")
		p.check("format", "cargo fmt --check", f)
	}
	return p, true
}
