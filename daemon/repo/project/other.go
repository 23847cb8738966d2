package project

import (
	"path"
	"slices"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

func readPHP(t tree) (part, bool) {
	const file = "composer.json"
	p := part{kind: "php", from: file}
	b, ok := t.read(file)
	if !ok {
		return p, false
	}
	var m struct {
		Scripts map[string]jsontext.Value `json:"scripts"`
		Dev     map[string]jsontext.Value `json:"require-dev"`
	}
	if json.Unmarshal(b, &m, jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true)) != nil {
		p.says(file, "cannot be read as JSON")
		return p, true
	}
	p.setup = "composer install --no-interaction"
	switch unit := t.first("phpunit.xml", "phpunit.xml.dist"); {
	case m.Scripts["test"] != nil:
		p.says(file, "test script")
		p.test = "composer test"
	case m.Dev["pestphp/pest"] != nil:
		p.says(file, "tests by Pest")
		p.test = "vendor/bin/pest"
	case unit != "":
		p.says(unit, "tests by PHPUnit")
		p.test, p.from = "vendor/bin/phpunit", unit
	case m.Dev["phpunit/phpunit"] != nil:
		p.says(file, "tests by PHPUnit")
		p.test = "vendor/bin/phpunit"
	default:
		p.says(file, "no test script")
	}
	if f := t.first("phpstan.neon", "phpstan.neon.dist"); f != "" {
		p.check("typecheck", "vendor/bin/phpstan analyse", f)
	}
	return p, true
}

func readRuby(t tree) (part, bool) {
	const file = "Gemfile"
	p := part{kind: "ruby", from: file}
	b, ok := t.read(file)
	if !ok {
		return p, false
	}
	p.setup = "bundle install"
	rake, _ := t.read("Rakefile")
	names := func(text []byte, word string) bool {
		return slices.ContainsFunc(lines(text), func(l string) bool {
			l, _, _ = strings.Cut(l, "#")
			return strings.Contains(l, word)
		})
	}
	switch {
	case t.has(".rspec") || names(b, "rspec"):
		p.says(file, "tests by RSpec")
		p.test = "bundle exec rspec"
	case t.has("bin/rails"):
		p.says("bin/rails", "Rails application")
		p.test, p.from = "bin/rails test", "bin/rails"
	case names(rake, "TestTask") || names(rake, ":test"):
		p.says("Rakefile", "task test")
		p.test, p.from = "bundle exec rake test", "Rakefile"
	default:
		p.says(file, "Ruby project")
	}
	if t.has(".rubocop.yml") {
		p.check("lint", "bundle exec rubocop", ".rubocop.yml")
	}
	return p, true
}

// dotnet is the solution or project file of this directory.
func (t tree) dotnet() string {
	for _, ext := range []string{".sln", ".slnx", ".csproj", ".fsproj"} {
		for _, name := range t.list(".") {
			if path.Ext(name) == ext {
				return name
			}
		}
	}
	return ""
}

func readDotnet(t tree) (part, bool) {
	file := t.dotnet()
	p := part{kind: "dotnet", from: file}
	if file == "" {
		return p, false
	}
	p.says(file, ".NET project")
	p.test = "dotnet test"
	return p, true
}
