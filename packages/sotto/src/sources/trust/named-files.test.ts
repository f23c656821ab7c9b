import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, dirname, join, relative } from "node:path";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { commandsIn, commandText } from "./commands.ts";
import { namedFiles } from "./named-files.ts";
import { namedWords } from "./named-words.ts";

let root: string;
beforeEach(() => {
  root = realpathSync(mkdtempSync(join(tmpdir(), "sotto-named-")));
});
afterEach(() => rmSync(root, { recursive: true }));

function put(path: string, text: string): string {
  const full = join(root, path);
  mkdirSync(dirname(full), { recursive: true });
  writeFileSync(full, text);
  return full;
}

const hooks = (handler: object) => JSON.stringify({ hooks: { Stop: [{ hooks: [handler] }] } });
const look = (content: string, path = ".claude/settings.json") =>
  namedFiles({ path: join(root, path), content, cwd: root, root });
const named = async (handler: object) =>
  Object.keys(await look(hooks(handler)))
    .map((path) => relative(root, path))
    .sort();

describe("a command names", () => {
  beforeEach(() => {
    for (const file of [
      ".claude/hooks/x.mjs",
      "scripts/a.sh",
      "tools/h.ts",
      "tools/hook.py",
      "tools/lib/__main__.py",
      "bin/run",
      "x.sh",
      "with space.js",
      "server/index.js",
      "node_modules/.bin/tsx",
      "package.json",
      "Makefile",
    ])
      put(file, "1");
    put("data.db", "not code");
    put("tool", "#!/bin/sh\n");
  });

  it.each<[string, string[]]>([
    ["node .claude/hooks/x.mjs", [".claude/hooks/x.mjs"]],
    ["bash scripts/a.sh --fast", ["scripts/a.sh"]],
    ["./x.sh", ["x.sh"]],
    ["bin/run now", ["bin/run"]],
    ["sh ./bin/run", ["bin/run"]],
    ["npx tsx tools/h.ts", ["node_modules/.bin/tsx", "tools/h.ts"]],
    ["npx -y tsx@4 tools/h.ts", ["tools/h.ts"]],
    ["python3 -m tools.hook", ["tools/hook.py"]],
    ["python -m tools.lib", ["tools/lib/__main__.py"]],
    ['"$CLAUDE_PROJECT_DIR"/.claude/hooks/x.mjs', [".claude/hooks/x.mjs"]],
    [`node \${CLAUDE_PROJECT_DIR}/.claude/hooks/x.mjs`, [".claude/hooks/x.mjs"]],
    ['"$(git rev-parse --show-toplevel)/scripts/a.sh"', ["scripts/a.sh"]],
    ["$(git rev-parse --show-toplevel)/scripts/a.sh", ["scripts/a.sh"]],
    ["cd tools && node h.ts", ["tools/h.ts"]],
    ["true; FOO=1 env BAR=2 node 'with space.js'", ["space.js", "with space.js"]],
    ["bash -c 'echo hi && scripts/a.sh'", ["scripts/a.sh"]],
    [`node -e "require('./tools/h.ts')"`, ["tools/h.ts"]],
    ["node --import=./tools/h.ts -r ./x.sh -e 1", ["tools/h.ts", "x.sh"]],
    ["bash < scripts/a.sh", ["scripts/a.sh"]],
    [". scripts/a.sh", ["scripts/a.sh"]],
    ["node server", ["server/index.js"]],
    ["npm run check", ["package.json"]],
    ["make check", ["Makefile"]],
    ["tool data.db", ["data.db", "tool"]],
    ["sqlite3 data.db", ["data.db"]],
    ["echo hello", []],
    ["tee data.db > tool", ["data.db"]],
    ["node missing.mjs", ["missing.mjs"]],
    ["node ../outside.mjs ~/home.mjs /etc/x.sh", []],
  ])("%s", async (command, files) => {
    expect(await named({ type: "command", command })).toEqual(files);
  });

  it("with words instead of a shell, and in variables", async () => {
    expect(await named({ command: "node", args: ["scripts/a.sh", "data.db"] })).toEqual([
      "data.db",
      "scripts/a.sh",
    ]);
    expect(
      await named({ command: "node", args: ["-e", "1"], env: { NODE_OPTIONS: "--import ./tools/h.ts" } }),
    ).toEqual(["tools/h.ts"]);
    expect(await named({ command: "uvx", args: ["mcp-server", "./tool", "data.db"] })).toEqual([
      "data.db",
      "tool",
    ]);
  });

  it("of servers in .mcp.json and of language servers in sotto.toml", async () => {
    const servers = JSON.stringify({ mcpServers: { a: { command: "node", args: ["server/index.js"] } } });
    expect(Object.keys(await look(servers, ".mcp.json"))).toEqual([join(root, "server/index.js")]);
    const toml = '[system_reminder.language_servers.x]\ncommand = ["./bin/run", "--stdio"]\n';
    expect(Object.keys(await look(toml, "sotto.toml"))).toEqual([join(root, "bin/run")]);
  });
});

describe("a file that a command hides behind a wrapper or a shell construct", () => {
  beforeEach(() => {
    for (const file of ["hooks/x", "hooks/deep/y", "hooks/Makefile", "gx", "other/z", "README"])
      put(file, "1");
  });

  const TEMPLATES = [
    "F",
    "nice -n 5 F",
    "nice F",
    "timeout -k 1 5 F",
    "env A=1 F",
    "setsid -w F",
    "stdbuf -o L F",
    "flock /tmp F",
    "ionice -c 3 F",
    "chrt 1 F",
    "unshare -r F",
    "strace -f -o /dev/null F",
    "if true; then F; fi",
    "! F",
    "(F)",
    "{ F; }",
    "while F; do :; done",
    "case x in x) F;; esac",
    "echo `F`",
    "echo $(F)",
    "cat < F",
    "tee >(F)",
    "sh <<X\nF\nX",
    "sh \\\nF",
    "sh ~+/F",
    "sh {F,x}",
    `sh \${IFS}F`,
    `sh\${IFS}F`,
    'sh "F"',
    "bash -c 'exec F'",
    "env -S 'sh F'",
    "git -c alias.x=!F x",
    "git -c alias.x='!F' x",
    "BASH_ENV=F bash -c true",
    "make -f F",
    "make -fF",
    "make --file=F",
    "echo F | xargs sh",
    "xargs -a F sh -c",
    "python3 -c 'exec(open(\"F\").read())'",
    "busybox sh F",
    "sudo -u me F",
    "ssh-agent F",
    "find F -exec sh {} ;",
    "> /dev/null F",
    "2>&1 F",
    "perl -IF -e 1",
  ];
  it.each(TEMPLATES)("%s", async (template) => {
    expect(await named({ command: template.replaceAll("F", () => "hooks/x") })).toContain("hooks/x");
  });

  it.each([
    "env -C hooks sh x",
    "cd hooks; ./x",
    "cd ./hooks && exec ./x",
    "bash -c 'pushd hooks; ./x'",
    "sh hooks/x*",
    "sh hooks/?",
    "sh hooks/[x]",
    "sh hooks/{x,q}",
    "sh ho*/x hooks",
    "D=hooks; sh $D/x",
    "D=hooks; $D/x",
    `D=hooks/; \${D}x`,
    "sh $'hooks/\\x78'",
    "sh $(echo hooks/)x",
    "PATH=./hooks:$PATH x",
    "PATH=hooks x",
    "find hooks -name x -exec sh {} ;",
    "find . -name x -exec sh {} ;",
    "ls -d hooks/* | xargs sh",
    "for f in hooks/*; do sh $f; done",
    "HOME=hooks; sh $HOME/x",
    "run-parts hooks/$X",
    "cd ho*s && sh ./x",
    "sh $X/x",
    `sh "\${D:-hooks}/x"`,
    `sh \${X#x}/x`,
    `sh \${X%.x}/x`,
    `D=\${1-hooks}; cd $D && ./x`,
    `run-parts \${D:-hooks}`,
    "cd `ls -d ho*` && ./x",
    "ls -d ho* | xargs -I% sh %/x",
    "cp -r hooks ~/h; sh ~/h/x",
    "git config core.hooksPath hooks; git commit",
  ])("%s, by its directory", async (command) => {
    expect(await named({ command })).toContain("hooks/x");
  });

  const PLACES = ["", "$PWD/", '"$CLAUDE_PROJECT_DIR"/', "./", `\${PWD}/`];
  const NAMES = ["hooks", "ho*", "?ooks", "ho[o]ks", "*", "**", "{hooks,x}", "h=ho k=ks"];
  it.each(PLACES.flatMap((place) => NAMES.map((name) => [place, name] as const)))(
    "sh %s%s/x.sh, whatever of its name is written out",
    async (place, name) => {
      put("hooks/x.sh", "1");
      const command = name.includes("=") ? `${name}; sh ${place}\${h}o$k/x.sh` : `sh ${place}${name}/x.sh`;
      expect(await named({ command })).toContain("hooks/x.sh");
    },
  );

  it.each([
    ...PLACES.map((place) => `PATH=${place}hooks:$PATH x`),
    "run-parts hooks",
    "run-parts --regex . ho*",
    "perl -Ihooks -MFoo -e 1",
    "PYTHONPATH=hooks python3 -c 'import x'",
    "git -c core.hooksPath=hooks commit",
    "docker run -v ./hooks:/h image",
    "go run ./hooks",
    "pytest hooks",
    "java -cp hooks Foo",
    "unheard-of hooks",
  ])("%s, as a file of the directory that it names", async (command) => {
    expect(await named({ command })).toContain("hooks/x");
    expect(await named({ command })).toContain("hooks/deep/y");
  });

  it.each([
    "eslint hooks",
    "npx prettier --write hooks other",
    "cd hooks && ls",
    "make -C hooks",
    "git add hooks",
  ])("%s only reads it, or goes there", async (command) =>
    expect(await named({ command })).not.toContain("hooks/x"),
  );

  it.each(["node", "npx ts-node", "bun run", "deno run -A"])("%s completes the name", async (program) => {
    for (const file of ["lib/x.js", "lib/x.ts", "lib/y.js"]) put(file, "1");
    const files = await named({ command: `${program} lib/x` });
    expect(files).toEqual(expect.arrayContaining(["lib/x.js", "lib/x.ts"]));
    expect(files).not.toContain("lib/y.js");
  });

  it.each([
    ["node --run build", "package.json"],
    ["timeout 5 npm test", "package.json"],
    ["just build", "justfile"],
    ["cargo run", "Cargo.toml"],
    ["composer run x", "composer.json"],
    ["rake", "Rakefile"],
    ["gradle build", "build.gradle.kts"],
    ["pre-commit run", ".pre-commit-config.yaml"],
    ["nice make", "Makefile"],
    ["npx eslint src", "eslint.config.mjs"],
    ["npx prettier src", ".prettierrc.cjs"],
    ["cd sub && just", "sub/justfile"],
    ["cd other && cd ../hooks/deep && npm run x", "hooks/package.json"],
    ["npm run x -ws", "packages/a/package.json"],
    ["yarn workspace foo lint", "packages/a/package.json"],
    ["pnpm --filter foo lint", "packages/a/package.json"],
    ["npx nx run app:lint", "apps/app/project.json"],
    ["pytest hooks/deep/y", "hooks/conftest.py"],
    ["python3 -m json.tool", "argparse.py"],
    ["git commit -m x", ".husky/pre-commit"],
    ["eslint --rulesdir rules src", "rules/a.js"],
    ["eslint src", "package.json"],
    ["npx vitest run", "vite.config.ts"],
    ["npx jest src", "babel.config.js"],
    ["yarn x", ".pnp.cjs"],
    ["npx ng lint", "angular.json"],
    ["pylint src", "pylintrc"],
    ["mypy src", "mypy.ini"],
    ["flake8 src", ".flake8"],
    ["rubocop", ".rubocop.yml"],
    ["swift build", "Package.swift"],
    ["dotnet build", "a.csproj"],
    ["dotnet build", "Directory.Build.props"],
    ["nix develop -c x", "flake.nix"],
    ["zig build", "build.zig"],
    ["phpunit", "phpunit.xml.dist"],
    ["foreman start", "Procfile"],
    ["cd $X && make", "other/Makefile"],
  ])("%s reads %s by convention", async (command, file) => {
    expect(await named({ command })).not.toContain(file);
    put(file, "1");
    expect(await named({ command })).toContain(file);
  });

  it("is the same file below the user's home", async () => {
    vi.stubEnv("HOME", dirname(root));
    expect(await named({ command: `sh ~/${basename(root)}/hooks/x` })).toContain("hooks/x");
    vi.unstubAllEnvs();
  });

  it.each([
    ["sh $X", ["$X"]],
    ['"$A/$B" now', ["$B"]],
    ["echo c2g= | base64 -d | sh", ["the input of sh"]],
    ["cd hooks && run-parts .", ["the files in ."]],
    ["cd $X && sh a.sh", ["the files in $X"]],
    ["cd ho*s && sh a.sh", ["the files in ho*s"]],
    ["cp -r $X ~/h; sh ~/h/a.sh", ["the files in $X"]],
    ["cp -r . ~/h; sh ~/h/hooks/x", ["the files in ."]],
    ["for f in $X/*; do echo $f; done", ["…/*"]],
    ["PATH=$X:$PATH x", ["PATH=$X:$PATH"]],
    ["ls | xargs sh", ["the input of xargs"]],
    ["setsid -w $X", ["$X"]],
    ["cat list > ~/q; sh ~/q", ["~/q"]],
    ["echo 1 | python3", ["the input of python3"]],
    ["node -e 'require(\"./su\" + x)'", ["what the code for node runs"]],
    ["npx vitest run", ["the project's code that vitest runs"]],
    ["cargo test", ["the project's code that cargo runs"]],
    ["go test ./...", ["the project's code that go runs"]],
    ["node --test", ["the project's code that node runs"]],
    ["sh hooks/x $1", []],
    ["npx eslint .", []],
    ["npx prettier --check .", []],
    ["npm run lint", []],
    ["node scripts/x.mjs", []],
    ["$CLAUDE_PROJECT_DIR/.claude/hooks/x.sh", []],
    [`cd "\${CLAUDE_PROJECT_DIR:-$PWD}" && npm test`, []],
    ["cd $X && ls", []],
    ["jq -r .tool_input.file_path | xargs npx prettier --write", []],
    ['f=$(jq -r .file); node scripts/x.mjs "$f"', []],
    ["python3 -c 'import json, sys; print(json.load(sys.stdin))'", []],
    ["node -e \"console.log(require('./package.json').version)\"", []],
    ["cargo fmt && go vet ./...", []],
  ])("%s: what nobody can know is said", async (command, unknown) => {
    expect(namedWords({ words: [command], env: {} }).unknown).toEqual(unknown);
  });

  it("in variables of the command, and for make in its directory", async () => {
    expect(await named({ command: "x", env: { PATH: "hooks:/bin" } })).toContain("hooks/x");
    expect(await named({ command: "make -s -C hooks" })).toContain("hooks/Makefile");
  });

  it("by a glob in the project's own directory", async () => {
    expect(await named({ command: "sh g*" })).toEqual(["gx"]);
    expect(await named({ command: "sh ./?x" })).toEqual(["gx"]);
  });

  it("what was named plainly brings nothing else along", async () => {
    expect(await named({ command: '"$CLAUDE_PROJECT_DIR"/hooks/x "$1"' })).toEqual(["hooks/x"]);
    expect(await named({ command: 'cd "$CLAUDE_PROJECT_DIR/hooks" && ./x' })).toEqual(["hooks/x"]);
    expect(await named({ command: "echo $USER" })).toEqual([]);
  });

  it("of many files in a directory each counts; of too many nothing is ever the same", async () => {
    for (let index = 0; index < 250; index++) put(`many/f${index}`, "1");
    const command = hooks({ command: "sh many/$X" });
    const before = await look(command);
    expect(Object.keys(before)).toEqual([join(root, "many/")]);
    expect(await look(command)).toEqual(before);
    put("many/f7", "22");
    expect(await look(command)).not.toEqual(before);
    const words = hooks({ command: Array.from({ length: 3000 }, (_, index) => `w${index}`).join(" ") });
    expect(await look(words)).not.toEqual(await look(words));
  });
});

describe("a named file", () => {
  const command = { command: "node hook.mjs" };

  it("is another one when its content changes, when it comes, goes, or a link leads elsewhere", async () => {
    const seen = new Set<string>();
    const note = async () => seen.add(JSON.stringify(await look(hooks(command))));
    await note();
    put("hook.mjs", "1");
    await note();
    put("hook.mjs", "2");
    await note();
    rmSync(join(root, "hook.mjs"));
    put("other.mjs", "3");
    symlinkSync("other.mjs", join(root, "hook.mjs"));
    await note();
    put("other.mjs", "4");
    await note();
    expect(seen.size).toBe(5);
    rmSync(join(root, "hook.mjs"));
    await note();
    expect(seen.size).toBe(5);
  });

  it("that never ends, or is no file, holds nobody up", async () => {
    symlinkSync("/dev/zero", join(root, "hook.mjs"));
    expect(Object.values(await look(hooks(command)))).toEqual(["absent"]);
  });

  it("odd commands are read in good time", async () => {
    const hostile = [
      `${"'".repeat(9999)}`,
      `${"$(".repeat(9000)}`,
      `${"a=".repeat(9000)}`,
      `"${"\\".repeat(9999)}`,
      "x/ ".repeat(6000),
      "${".repeat(9000),
      "[{,".repeat(3000),
      `${"a*".repeat(2000)}b`,
      "${a{".repeat(4000),
      "$(($(".repeat(4000),
      "`".repeat(9999),
      "import a, ".repeat(2000),
      "node -e require(' ".repeat(1000),
      "python3 <<".repeat(1500),
      "; ~/q".repeat(3000),
    ];
    put("a".repeat(250), "1");
    const deep = Array.from({ length: 200 }, (_, index) => `$X/${index}${"/a".repeat(1500)}`).join(" ");
    expect(Object.keys(await look(hooks({ command: deep })))).toEqual([`${root}/`]);
    for (const one of hostile)
      expect(Object.keys(await look(hooks({ command: one }))).length).toBeLessThan(2);
  });

  it("whatever a command repeats, it is read in good time, or not at all and never trusted for good", async () => {
    const units =
      "[a|[!|node -e |node a <|$(|${|${a:-|$'|{a,|{a.|tee |PATH=$|$(a(b)|python3 -c 'import |a=|cd |cd $|cd a;|pushd -P |xargs |find |find . -exec |> a |-C a |bash -c \"|<<a |npx |env A=b |if |import(|$(git rev-parse|!(|&&a|x;|a b ";
    for (const unit of units.split("|").filter((one) => one !== ""))
      for (const length of [9999, 100_000]) {
        const command = unit.repeat(length).slice(0, length);
        const before = process.cpuUsage();
        const { isCut, unknown } = namedWords({ words: [command], env: {} });
        const { user } = process.cpuUsage(before);
        expect(user / 1000, `${unit} repeated to ${length}`).toBeLessThan(3000);
        if (length > 9999) expect(unknown).toEqual(["all of it, it is too long to be read"]);
        if (length > 9999) expect(isCut).toBe(true);
      }
    const many = {
      PreToolUse: [{ hooks: Array.from({ length: 40 }, () => ({ command: "sh x ".repeat(900) })) }],
    };
    const content = JSON.stringify({ hooks: many });
    expect(await look(content)).not.toEqual(await look(content));
  });
});

describe("a command in words", () => {
  it("has all of it, and the names of its variables", () => {
    const content = hooks({
      command: "node",
      args: ["-e", "it's; rm -rf /"],
      env: { TOKEN: "s3cret", NODE_OPTIONS: "-r ./x" },
    });
    expect(commandsIn("/p/hooks.json", content).map(commandText)).toEqual([
      "node -e 'it'\\''s; rm -rf /' (with TOKEN, NODE_OPTIONS='-r ./x')",
    ]);
  });
});
