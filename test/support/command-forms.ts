// For tests: commands that all run one file, in the many ways a shell has to say so.

export interface CommandForm {
  command: string;
  /** Besides the file that is run. */
  files?: Readonly<Record<string, string>>;
  /** What is run, and changed after trust was given. */
  runs: string;
  /** That file as it was trusted, and as it is then: it writes the file `$MARK`. */
  before: string;
  after: string;
}

interface Name {
  first?: string;
  word: string;
}

const SHELL_SCRIPT = { before: "#!/bin/sh\n:\n", after: '#!/bin/sh\n: > "$MARK"\n' };
const PYTHON = { before: "1\n", after: "import os\nopen(os.environ['MARK'], 'w')\n" };
const NODE = { before: "1;\n", after: "require('fs').writeFileSync(process.env.MARK, '');\n" };

/** Ways to name the directory `sub`. */
const DIRECTORIES: readonly Name[] = [
  { word: "sub" },
  { word: '"$CLAUDE_PROJECT_DIR"/sub' },
  { word: "$PWD/sub" },
  { word: "su*" },
  { word: "su?/" },
  { word: "./s*" },
  { word: "s[u]b" },
  { word: "$(echo sub)" },
  { word: "$(printf %s%s su b)" },
  { word: "`ls -d su*`" },
  { word: `\${D:-sub}` },
  { word: `\${D-sub}` },
  { word: `"\${D:-sub}"` },
  { word: `"\${HOOK_DIR:-$CLAUDE_PROJECT_DIR/sub}"` },
  { word: `"\${HOOK_DIR:-\${CLAUDE_PROJECT_DIR}/sub}"` },
  { word: `"\${CLAUDE_PROJECT_DIR%/}"/sub` },
  { first: "D=sub;", word: "$D" },
  { first: `D=\${D:-sub};`, word: "$D" },
  { first: `: \${D:=sub};`, word: '"$D"' },
  { first: "X=xsub;", word: `\${X#x}` },
  { first: "X=sub.x;", word: `\${X%.x}` },
  { first: `P=su; P=\${P}b;`, word: "$P" },
  { first: "P=su; P=$P'b';", word: "$P" },
  { first: "set -- sub;", word: "$1" },
  { first: "read P <<E\nsub\nE\n", word: "$P" },
  { first: "PWD=sub;", word: "$PWD" },
];
const BASH_DIRECTORIES: readonly Name[] = [
  { word: "{sub,}" },
  { word: "$'\\x73ub'" },
  { word: "s$'u'b" },
  { first: "x=Sub;", word: `\${x,,}` },
  { first: "x=zub;", word: `\${x/z/s}` },
  { first: "n=D; D=sub;", word: `\${!n}` },
  { first: "P=su; P+=b;", word: "$P" },
  { first: "A=(sub x);", word: `\${A[0]}` },
  { first: "printf -v P %s sub;", word: "$P" },
];
/** Ways to name the file `a.sh` in it. */
const FILES: readonly Name[] = [
  { word: "a.sh" },
  { word: "a.s?" },
  { word: `\${F:-a.sh}` },
  { word: `a\${E:-.sh}` },
  { first: "F=xa.sh;", word: `\${F#x}` },
];
const RUNNERS: readonly ((directory: string, file: string) => string)[] = [
  (directory, file) => `sh ${directory}/${file}`,
  (directory, file) => `${directory}/${file}`,
  (directory, file) => `nice -n 1 ${directory}/${file}`,
  (directory, file) => `if true; then . ./${directory}/${file}; fi`,
  (directory, file) => `cat ${directory}/${file} | sh`,
  (directory, file) => `for f in ${directory}/${file}; do sh $f; done`,
  (directory, file) => `echo ${directory} | while read d; do sh $d/${file}; done`,
  (directory, file) => `ls -d ${directory} | xargs -I% sh %/${file}`,
  (directory, file) => `cd ${directory} && sh ${file}`,
  (directory, file) => `cd ${directory}\n./${file}`,
  (directory, file) => `(cd deep; cd ../${directory}; . ./${file})`,
  (directory, file) => `if cd -P ${directory}; then ./${file}; fi`,
  (directory, file) => `env -C ${directory} sh ./${file}`,
  (directory, file) => `sh -c 'cd "$1" && sh ./"$2"' x ${directory} ${file}`,
  (directory, file) => `cp -r ${directory} "$HOME/h"; sh "$HOME/h/"${file}`,
  (directory, file) => `ln -s "$CLAUDE_PROJECT_DIR/"${directory} "$HOME/h"; sh "$HOME/h/"${file}`,
  (directory, file) => `cat ${directory}/${file} > "$HOME/q"; sh "$HOME/q"`,
  (directory) => `find ${directory} -name 'a.*' -exec sh {} \\;`,
  (directory, file) => `P=${directory}/${file}; env A=1 $P`,
  (directory, file) => `PATH=${directory}:$PATH; ${file}`,
];

export function shellForms({ hasBash }: { hasBash: boolean }): CommandForm[] {
  const forms: CommandForm[] = [];
  const add = (directory: Name, file: Name, inShell: (text: string) => string) => {
    for (const runner of RUNNERS) {
      const first = [directory.first, file.first].filter((one) => one !== undefined).join(" ");
      const command = inShell(`${first}${first === "" ? "" : " "}${runner(directory.word, file.word)}`);
      forms.push({ command, runs: "sub/a.sh", files: { "deep/x": "" }, ...SHELL_SCRIPT });
    }
  };
  for (const file of FILES) {
    for (const directory of DIRECTORIES) add(directory, file, (text) => text);
    for (const directory of hasBash ? BASH_DIRECTORIES : [])
      add(directory, file, (text) => `bash -c '${text.replaceAll("'", "'\\''")}'`);
  }
  return forms;
}

/** Programs that find by themselves what they run. */
export function runnerForms(has: (program: string) => boolean): CommandForm[] {
  const script = (text: string) => JSON.stringify({ name: "foo", version: "1.0.0", scripts: { x: text } });
  const scripts = { before: script("true"), after: script(': > "$MARK"') };
  const workspaces = { "package.json": '{"workspaces":["packages/*"]}' };
  const package_ = { "mod/__init__.py": "", "mod/x.py": "", "mod/__main__.py": "" };
  const commit = "git -c user.name=a -c user.email=b commit -q --allow-empty -m x";
  const forms: [string, CommandForm[]][] = [
    [
      "python3",
      [
        { command: "python3 -mmod", runs: "mod.py", ...PYTHON },
        { command: "python3 -Bm mod", runs: "mod.py", ...PYTHON },
        { command: "python3 -m mod.x", runs: "mod/__init__.py", files: package_, ...PYTHON },
        { command: "python3 -m mod.x", runs: "mod/x.py", files: package_, ...PYTHON },
        { command: "python3 -m mod", runs: "mod/__main__.py", files: package_, ...PYTHON },
        { command: "python3 -m json.tool /dev/null", runs: "json.py", ...PYTHON },
        { command: "python3 -m json.tool /dev/null", runs: "argparse.py", ...PYTHON },
        { command: "python3 -m unittest", runs: "test_a.py", ...PYTHON },
        { command: "python3 -c 'import mod'", runs: "mod.py", ...PYTHON },
        { command: "python3 -c 'import sys, mod.x'", runs: "mod/x.py", files: package_, ...PYTHON },
        { command: "python3 -c 'from mod import x'", runs: "mod/x.py", files: package_, ...PYTHON },
        { command: "python3 -c 'import json'", runs: "json/__init__.py", ...PYTHON },
        { command: "echo 'import mod' | python3", runs: "mod.py", ...PYTHON },
        { command: "echo 'import mod' | python3 -", runs: "mod.py", ...PYTHON },
        { command: "PYTHONPATH=. python3 -c 1", runs: "sitecustomize.py", ...PYTHON },
        { command: "PYTHONPATH=$PWD python3 /dev/null", runs: "sitecustomize.py", ...PYTHON },
        { command: "cd su? && python3 -m mod", runs: "sub/mod.py", ...PYTHON },
        {
          command: "python3 -c \"import os; os.system('sh su'+'b/a.sh')\"",
          runs: "sub/a.sh",
          ...SHELL_SCRIPT,
        },
        {
          command: "python3 -c \"import os; os.chdir('s'+'ub'); os.system('./a.sh')\"",
          runs: "sub/a.sh",
          ...SHELL_SCRIPT,
        },
      ],
    ],
    [
      "node",
      [
        { command: "node --test", runs: "a.test.js", ...NODE },
        { command: "node --test", runs: "test/b.js", ...NODE },
        { command: 'node -e \'require("./su" + "b/x")\'', runs: "sub/x.js", ...NODE },
        {
          command: 'node -e \'require("child_process").execFileSync("sh", ["su" + "b/a.sh"])\'',
          runs: "sub/a.sh",
          ...SHELL_SCRIPT,
        },
        {
          command: 'node <<E\nrequire("child_process").execSync("./a.sh", { cwd: "su" + "b" })\nE',
          runs: "sub/a.sh",
          ...SHELL_SCRIPT,
        },
        { command: "NODE_OPTIONS='-r ./x.js' node -e 1", runs: "x.js", ...NODE },
      ],
    ],
    [
      "npm",
      [
        { command: "npm run x -ws", runs: "packages/sub/package.json", files: workspaces, ...scripts },
        {
          command: "npm run x --workspace=foo",
          runs: "packages/sub/package.json",
          files: workspaces,
          ...scripts,
        },
        { command: "npm -w foo run x", runs: "packages/sub/package.json", files: workspaces, ...scripts },
        {
          command: "cd sub/deep && npm run x",
          runs: "sub/package.json",
          files: { "sub/deep/x": "" },
          ...scripts,
        },
      ],
    ],
    [
      "git",
      [
        { command: `git config core.hooksPath hooks; ${commit}`, runs: "hooks/pre-commit", ...SHELL_SCRIPT },
        {
          command: `git -c core.hooksPath=hooks ${commit.slice(4)}`,
          runs: "hooks/pre-commit",
          ...SHELL_SCRIPT,
        },
        {
          command: `git config core.hooksPath .hu*y; ${commit}`,
          runs: ".husky/pre-commit",
          ...SHELL_SCRIPT,
        },
      ],
    ],
    [
      "make",
      [
        {
          command: "cd su? && make",
          runs: "sub/Makefile",
          before: "all:\n\t@true\n",
          after: 'all:\n\t@: > "$$MARK"\n',
        },
        {
          command: `make -C \${D:-sub}`,
          runs: "sub/Makefile",
          before: "all:\n\t@true\n",
          after: 'all:\n\t@: > "$$MARK"\n',
        },
      ],
    ],
  ];
  return forms.flatMap(([program, those]) => (has(program) ? those : []));
}
