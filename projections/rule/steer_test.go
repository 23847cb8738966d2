package rule_test

import (
	"testing"

	"autopilot/projections/rule"
)

func TestWhatSteersGatesIsToldFromTheProduct(t *testing.T) {
	t.Parallel()
	around := rule.Surroundings{Modules: map[string]bool{"unittest": true, "pytest": true, "json": true}}
	for name, want := range map[string]rule.Steer{
		"zz_main_test.go": rule.SteersTest, "a/b/conftest.py": rule.SteersTool, "pytest.ini": rule.SteersTool, "tests/test_new.py": rule.SteersTest,
		"unittest/__main__.py": rule.SteersPlace, "pytest.py": rule.SteersPlace, "src/json/__init__.py": rule.SteersPlace,
		".npmrc": rule.SteersTool, "jest.config.cjs": rule.SteersTool, ".mocharc.yml": rule.SteersTool, "sitecustomize.py": rule.SteersTool,
		"go.work": rule.SteersTool, "vendor/modules.txt": rule.SteersTool, "vendor/x/assert.go": rule.SteersTool,
		".cargo/config.toml": rule.SteersTool, "spec/support/x.rb": rule.SteersTest, "test/setup.js": rule.SteersTest,

		"app/cart.py": rule.SteersNot, "app/json.py": rule.SteersNot, "json.go": rule.SteersNot, "cmd/main.go": rule.SteersNot,
		"README.md": rule.SteersNot, "package-lock.json": rule.SteersNot, "go.sum": rule.SteersNot, "app/fixtures/shop.json": rule.SteersNot,
		"testdata/want.golden": rule.SteersNot, "src/index.ts": rule.SteersNot, "docs/testing.md": rule.SteersNot, ".autopilot/config.yaml": rule.SteersNot,
		"tests/data/in.json": rule.SteersNot, "lib/config.py": rule.SteersNot, "settings.toml": rule.SteersNot, "app/vendor/models.py": rule.SteersNot, "tailwind.config.js": rule.SteersNot,
	} {
		if got := rule.Steers(name, around); got != want {
			t.Errorf("%s: %q, want %q", name, got, want)
		}
	}
}
