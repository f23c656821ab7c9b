// Runs a program from what was compiled of it before. Node's own compile cache leaves out whatever is compiled while it
// runs, and that is most of it. What is kept is keyed by the program, and V8 checks that it is its own.

const fs = require("node:fs");
const path = require("node:path");
const vm = require("node:vm");
const { createRequire } = require("node:module");

// Each kind of event uses other parts: the first runs add what they needed.
const LEARNING = 12;

exports.runCompiled = (program) => {
  const { size, mtimeMs } = fs.statSync(program);
  const key = `${size} ${mtimeMs}`;
  const kept = read(key);
  const text = `(function (require, __filename, __dirname) {${fs.readFileSync(program, "utf8")}\n})`;
  const script = new vm.Script(text, {
    filename: program,
    cachedData: kept.data,
    importModuleDynamically: vm.constants.USE_MAIN_CONTEXT_DEFAULT_LOADER,
  });
  const runs = script.cachedDataRejected || kept.data === undefined ? 0 : kept.runs;
  if (runs < LEARNING) process.on("exit", () => write(key, runs + 1, script));
  script.runInThisContext()(createRequire(program), program, path.dirname(program));
};

function place() {
  const given = process.env.XDG_CACHE_HOME || "";
  const directory = path.isAbsolute(given) ? given : path.join(require("node:os").homedir(), ".cache");
  return path.join(directory, "sotto", `hook-${process.version}-${process.arch}.bin`);
}

/** A line with the key and how many runs it knows, then the data. */
function read(key) {
  try {
    const bytes = fs.readFileSync(place());
    const end = bytes.indexOf(10);
    const head = JSON.parse(bytes.toString("utf8", 0, end));
    return head.key === key ? { data: bytes.subarray(end + 1), runs: head.runs } : {};
  } catch {
    return {};
  }
}

/** Aside, then in its place: nobody ever reads half of it. Where that is not possible it works without. */
function write(key, runs, script) {
  try {
    const file = place();
    const aside = `${file}.${process.pid}`;
    fs.mkdirSync(path.dirname(file), { recursive: true, mode: 0o700 });
    const head = `${JSON.stringify({ key, runs })}\n`;
    fs.writeFileSync(aside, Buffer.concat([Buffer.from(head), script.createCachedData()]), { mode: 0o600 });
    fs.renameSync(aside, file);
  } catch {
    // The next run tries again.
  }
}
