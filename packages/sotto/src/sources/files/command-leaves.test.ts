import { describe, expect, it } from "vitest";
import { commandLeaves, type Left } from "./who-changed.ts";

const leaves = (command: string, directory?: string) =>
  commandLeaves({ command, directory }, (path) => path === "a" || path === "/p/a" || path === "d/a");
const GONE: Left = {};
const added = (text: string): Left => ({ text, appends: true });

describe("says what becomes of the file", () => {
  it.each<[string, Left]>([
    ["rm a", GONE],
    ["rm -f 'a' b", GONE],
    ['rm -rf -- b "a"', GONE],
    ["git rm -q a", GONE],
    ["git mv a b", GONE],
    ["mv a b", GONE],
    ["mv -f a c d/", GONE],
    ["mkdir -p d && mv a d/", GONE],
    ["rm a; npm test", GONE],
    ["ls; rm a && git commit -m x | cat", GONE],
    ["rm /p/a 2>/dev/null", GONE],
    ["echo three >> a", added("three\n")],
    ["echo three>>a", added("three\n")],
    ["echo 1 2  3 > a", { text: "1 2 3\n" }],
    ["echo 'a  $b `c` | d > e' > a", { text: "a  $b `c` | d > e\n" }],
    ['echo "say \\"hi\\"" > "a"', { text: 'say "hi"\n' }],
    ["echo -n x >> a", added("x")],
    ["echo > a", { text: "\n" }],
    ["printf 'q\\n' > a", { text: "q\n" }],
    ["printf 'x\\t\\\\n' > a", { text: "x\t\\n" }],
    ["printf '%s\\n' one 't w\\o' >> a", added("one\nt w\\o\n")],
    ["printf %s 'x\\n' > a", { text: "x\\n" }],
    ["cat > a <<'EOF'\none $x `y` \\n\n\n  two\nEOF", { text: "one $x `y` \\n\n\n  two\n" }],
    ['cat <<"END-1" >> a\n\'\nEND-1\nnode a', added("'\n")],
    ["cat > a <<'EOF'\nEOF\n", { text: "" }],
    ["cat > b <<'EOF'\necho x > a\nEOF\necho y >> a", added("y\n")],
    ["echo x > a && echo y >> a\necho z >> a; npm test", { text: "x\ny\nz\n" }],
    ["echo x >> a; echo y >> a", added("x\ny\n")],
    ["rm a; echo x >> a", { text: "x\n" }],
    ["cd d && echo x > /p/a", { text: "x\n" }],
    ["echo x\\ y > a", { text: "x y\n" }],
  ])("%j", (command, expected) => expect(leaves(command)).toEqual(expected));

  it("in the directory it ran in", () => {
    expect(leaves("rm a", "d")).toEqual(GONE);
    expect(leaves("rm a", "/p/")).toEqual(GONE);
    expect(leaves("rm a", "/q")).toBeUndefined();
  });
});

describe("leaves it open", () => {
  it.each([
    ...["ls a", "touch a", "sed -i s/x/y/ a", "npx prettier --write a", "node make.js", "cp b a", "mv b a"],
    ...[
      "rm b",
      "rm -r .",
      "rm *",
      "rm a*",
      "rm $X",
      "rm $(ls)",
      "rm ~/a",
      "rm -i a",
      "rm {a,b}",
      "sudo rm a",
    ],
    ...["git rm --cached a", "git rm -n a", "git -C d rm a", "mv -t d a", "mv -n a b", "find . -delete"],
    ...[
      "echo $X >> a",
      'echo "$X" >> a',
      "echo `date` > a",
      "echo $(date) > a",
      "echo * > a",
      "echo {a,b} > a",
    ],
    ...[
      "echo -e x > a",
      "echo -n -e x > a",
      "echo -E x > a",
      "echo 'x\\n' > a",
      "echo ~ > a",
      "echo x\\;y > a",
    ],
    ...[
      "printf x%dy 1 > a",
      "printf '%s %s' x y > a",
      "printf '\\x41' > a",
      "printf -v x y > a",
      "printf > a",
    ],
    ...[
      "echo x > a > b",
      "echo x 2> a",
      "echo x 1> a",
      "echo 1> a",
      "echo x &> a",
      "echo x >& a",
      "echo x >| a",
    ],
    ...[
      "echo x | tee a",
      "echo x >",
      "echo x > ",
      "> a",
      "echo x > a &",
      "echo x > *",
      "cat b > a",
      "date > a",
    ],
    ...[
      "cat > a <<EOF\nx\nEOF",
      "cat > a <<-'EOF'\nx\nEOF",
      "cat > a <<< 'x'",
      "cat > a <<'EOF'\nx",
      "cat > a",
    ],
    ...[
      "cat b - > a <<'EOF'\nx\nEOF",
      "cat <<'EOF' | tee a\nx\nEOF",
      "cat > a <<'E'F\nx\nEF",
      "tr x y > a <<'E'\nx\nE",
    ],
    // Nobody knows whether it came to that.
    ...["test -f b || echo x > a", "grep -q x b && echo x >> a", "grep -q x b && mkdir d && rm a"],
    ...[
      "set -e; ls b; rm a",
      "exit; rm a",
      "npm test && rm a",
      "npm test; echo x >> a",
      "echo x >> a; make; rm a",
    ],
    ...["if ls\nthen\necho x > a\nfi", "for i in 1 2\ndo\necho x >> a\ndone", "f() {\nrm a\n}", "ls | rm a"],
    // Nobody knows where that is.
    ...["cd d && rm a", "cd d; echo x > a", "pushd d; rm a"],
    ...["", " ", "\u0000", "rm 'a", "rm a;;"],
  ])("%j", (command) => expect(leaves(command)).toBeUndefined());
});
