package project

import (
	"io/fs"
	"path"
)

func readJava(t tree) (part, bool) {
	p := part{kind: "java"}
	if t.has("pom.xml") {
		p.from = "pom.xml"
		p.says(p.from, "Maven project")
		p.test = t.wrapper(&p, "mvnw", "mvn") + " -B test"
		return p, true
	}
	p.from = t.first("build.gradle.kts", "build.gradle", "settings.gradle.kts", "settings.gradle")
	if p.from == "" {
		return p, false
	}
	p.says(p.from, "Gradle project")
	p.test = t.wrapper(&p, "gradlew", "gradle") + " test --console=plain"
	return p, true
}

// wrapper is the script that a project, here or above, brings along to get its build tool, or
// the tool itself. One without the mode of a program is given to the shell.
func (t tree) wrapper(p *part, script, tool string) string {
	at, found, up := t.above(script)
	if found == "" {
		return tool
	}
	p.says(up+script, "brings "+tool+" along")
	info, err := fs.Stat(t.fsys, path.Join(at.dir, script))
	switch {
	case err != nil || info.Mode().Perm()&0o111 == 0:
		return "sh " + up + script
	case up == "":
		return "./" + script
	}
	return up + script
}
