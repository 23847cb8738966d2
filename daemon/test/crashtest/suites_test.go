//go:build linux

package crashtest

import (
	"maps"
)

// The suites: each has one failing test, one that passes, and code that is wrong.
var (
	pySuite = map[string]string{
		"shop/__init__.py": "", "shop/cart.py": "def total(a, b):\n    return a - b  # wrong\n", "tests/__init__.py": "",
		"tests/test_cart.py": "import unittest\nfrom shop.cart import total\n\nclass CartTest(unittest.TestCase):\n" +
			"    def test_total(self):\n        self.assertEqual(total(2, 3), 5)\n\n    def test_zero(self):\n        self.assertEqual(total(0, 0), 0)\n",
	}
	goSuite = map[string]string{
		"go.mod": "module calc\n\ngo 1.21\n", "add.go": "package calc\n\nfunc Add(a, b int) int { return a - b }\n",
		"add_test.go": "package calc\n\nimport \"testing\"\n\nfunc TestAdd(t *testing.T) {\n\tif Add(2, 3) != 5 {\n\t\tt.Fatal(\"wrong\")\n\t}\n}\n\nfunc TestZero(t *testing.T) {\n\tif Add(0, 0) != 0 {\n\t\tt.Fatal(\"wrong\")\n\t}\n}\n",
	}
	nodeSuite = map[string]string{
		"package.json": "{\"name\": \"calc\", \"scripts\": {\"test\": \"node --test\"}}\n", "add.js": "exports.add = (a, b) => a - b;\n",
		"add.test.js": "const test = require('node:test');\nconst assert = require('node:assert');\nconst { add } = require('./add.js');\ntest('adds', () => assert.strictEqual(add(2, 3), 5));\ntest('zero', () => assert.strictEqual(add(0, 0), 0));\n",
	}
	rustSuite = map[string]string{
		"Cargo.toml": "[package]\nname = \"calc\"\nversion = \"0.1.0\"\nedition = \"2021\"\n", "src/lib.rs": "pub fn add(a: i32, b: i32) -> i32 {\n    a - b\n}\n", ".gitignore": "target/\n",
		"tests/add.rs": "#[test]\nfn adds() {\n    assert_eq!(calc::add(2, 3), 5);\n}\n\n#[test]\nfn zero() {\n    assert_eq!(calc::add(0, 0), 0);\n}\n",
	}
	makeSuite = map[string]string{
		"add.sh": "echo $(($1 - $2))\n", "Makefile": "include lib.mk\n-include local.mk\n\ntest: check\n\ncheck:\n\tsh check.sh\n", "lib.mk": "X = 1\n",
		"check.sh": ". ./scripts/lib.sh\nwant \"$(sh add.sh 2 3)\" 5\n", "scripts/lib.sh": "want() { [ \"$1\" = \"$2\" ] || { echo \"FAIL: got $1, want $2\"; exit 1; }; }\n",
	}
)

const (
	pyGate, goGate, nodeGate = "python3 -m unittest", "go test ./...", "npm test"

	fixPy   = "sed -i 's/a - b.*/a + b/' shop/cart.py"
	fixGo   = "sed -i 's/a - b/a + b/' add.go"
	fixNode = "sed -i 's/a - b/a + b/' add.js"
	fixSh   = "sed -i 's/ - / + /' add.sh"
	fixRust = "sed -i 's/a - b/a + b/' src/lib.rs"
)

// with adds files to a suite.
func with(suite map[string]string, pairs ...string) map[string]string {
	out := maps.Clone(suite)
	for i := 0; i+1 < len(pairs); i += 2 {
		out[pairs[i]] = pairs[i+1]
	}
	return out
}
