// Compiles `sotto hook` ahead, so that not even the first call of an agent has to: runs the events of a short
// conversation, in a directory of its own, and keeps what V8 compiled.
//   node compile-hook.js            into the user's cache, unless there is something that fits (`sotto init`)
//   node compile-hook.js --package  into the package (its build)

const { spawnSync } = require("node:child_process");
const fs = require("node:fs");
const os = require("node:os");
const path = require("node:path");
const { cacheName, isCompiled, LEARNING } = require("./run-compiled.js");

const launcher = path.join(__dirname, "sotto.js");
const program = path.join(__dirname, "../dist/hook.cjs");

if (process.argv[2] === "--package") withCompiled(intoPackage);
else if (!isCompiled(program)) withCompiled(intoUsersCache);

function withCompiled(keep) {
  const root = fs.mkdtempSync(path.join(os.tmpdir(), "sotto-compile-"));
  try {
    const env = worldIn(root);
    const events = conversation(env.cwd);
    for (let run = 0; run < LEARNING; run++) {
      const [agent, event] = events[run % events.length];
      const input = JSON.stringify({ session_id: "compile", cwd: env.cwd, ...event });
      const { status, stderr } = spawnSync(process.execPath, [launcher, "hook", agent], {
        cwd: env.cwd,
        env: env.variables,
        input,
        encoding: "utf8",
      });
      if (status !== 0 || stderr !== "") throw new Error(`sotto hook ended with ${status}: ${stderr}`);
    }
    keep(path.join(root, "cache/sotto", cacheName));
  } finally {
    fs.rmSync(root, { recursive: true, force: true });
  }
}

/** A project with instructions and rules, and nothing of the user's. */
function worldIn(root) {
  const cwd = path.join(root, "project");
  const files = {
    ".git/HEAD": "ref: refs/heads/main\n",
    "AGENTS.md": "Use tabs.\n",
    ".sotto/rules/code.md": '---\npaths: ["src/*.js"]\n---\nWrite tests.\n',
    "src/main.js": "export {};\n",
  };
  for (const [name, text] of Object.entries(files)) {
    fs.mkdirSync(path.dirname(path.join(cwd, name)), { recursive: true });
    fs.writeFileSync(path.join(cwd, name), text);
  }
  const variables = { PATH: process.env.PATH, HOME: root, SOTTO_COMPILE_HOOK: "1" };
  for (const name of ["cache", "config", "state"])
    variables[`XDG_${name.toUpperCase()}_HOME`] = path.join(root, name);
  return { cwd, variables };
}

function conversation(cwd) {
  const file = path.join(cwd, "src/main.js");
  const tool = (event, id, name, input) => ({
    hook_event_name: event,
    tool_use_id: id,
    tool_name: name,
    tool_input: input,
  });
  const edit = { file_path: file, old_string: "{}", new_string: "{ }" };
  return [
    ["claude-code", { hook_event_name: "SessionStart", source: "startup" }],
    ["claude-code", { hook_event_name: "UserPromptSubmit", prompt: "Tidy up @src/main.js." }],
    ["claude-code", tool("PostToolUse", "1", "Read", { file_path: file })],
    ["claude-code", tool("PreToolUse", "2", "Edit", edit)],
    ["claude-code", tool("PostToolUse", "2", "Edit", edit)],
    ["claude-code", tool("PostToolUse", "3", "Bash", { command: "npm test | tail -5" })],
    ["claude-code", { hook_event_name: "Stop" }],
    ["codex", { hook_event_name: "SessionStart", source: "startup" }],
    ["codex", { hook_event_name: "UserPromptSubmit", prompt: "Tidy up." }],
    ["codex", tool("PostToolUse", "1", "Bash", { command: "cat src/main.js" })],
    ["gemini-cli", { hook_event_name: "BeforeAgent", prompt: "Tidy up." }],
    ["gemini-cli", tool("AfterTool", "1", "read_file", { absolute_path: file })],
  ];
}

function intoPackage(file) {
  const shipped = path.join(path.dirname(program), cacheName);
  fs.copyFileSync(file, shipped);
  fs.chmodSync(shipped, 0o644);
}

function intoUsersCache(file) {
  const given = process.env.XDG_CACHE_HOME || "";
  const directory = path.join(path.isAbsolute(given) ? given : path.join(os.homedir(), ".cache"), "sotto");
  fs.mkdirSync(directory, { recursive: true, mode: 0o700 });
  const aside = path.join(directory, `${cacheName}.${process.pid}`);
  fs.copyFileSync(file, aside);
  fs.renameSync(aside, path.join(directory, cacheName));
}
