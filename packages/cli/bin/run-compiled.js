// Runs a program from cached V8 bytecode. Node's own compile cache leaves out functions compiled while the program runs,
// which is most of them. V8 accepts cached data if only the lengths match, and crashes on a wrong bit, so the cache has
// checksums of the program and of itself.

const fs = require("node:fs");
const path = require("node:path");
const vm = require("node:vm");
const { createRequire } = require("node:module");

// Each kind of event uses other functions: the first runs add theirs to the cache.
const LEARNING = 12;

exports.runCompiled = (program) => {
  const source = fs.readFileSync(program);
  const kept = read(source);
  const text = `(function (require, __filename, __dirname) {${source.toString("utf8")}\n})`;
  const script = new vm.Script(text, {
    filename: program,
    cachedData: kept.data,
    importModuleDynamically: vm.constants.USE_MAIN_CONTEXT_DEFAULT_LOADER,
  });
  const runs = script.cachedDataRejected || kept.data === undefined ? 0 : kept.runs;
  if (runs < LEARNING) {
    let isKept = false;
    const keep = () => {
      if (!isKept) write(source, runs + 1, script);
      isKept = true;
    };
    // Before output is printed: after that the process must exit quickly.
    process.once("sotto:last", keep);
    process.on("exit", keep);
  }
  script.runInThisContext()(createRequire(program), program, path.dirname(program));
};

function place() {
  const given = process.env.XDG_CACHE_HOME || "";
  const directory = path.isAbsolute(given) ? given : path.join(require("node:os").homedir(), ".cache");
  return path.join(directory, "sotto", `hook-${process.version}-${process.arch}.bin`);
}

/** The file is a line with the checksums and the number of runs, then the data. */
function read(source) {
  try {
    const bytes = fs.readFileSync(place());
    const end = bytes.indexOf(10);
    const head = JSON.parse(bytes.toString("utf8", 0, end));
    const data = bytes.subarray(end + 1);
    return head.program === sumOf(source) && head.data === sumOf(data) ? { data, runs: head.runs } : {};
  } catch {
    return {};
  }
}

/** Writes aside and renames, so that nobody reads half a file. Without a cache the program still works. */
function write(source, runs, script) {
  try {
    const file = place();
    const aside = `${file}.${process.pid}`;
    // Without `recursive`, which loops forever in some places like /proc.
    const directory = path.dirname(file);
    for (const one of [path.dirname(directory), directory])
      if (!fs.existsSync(one)) fs.mkdirSync(one, { mode: 0o700 });
    const data = script.createCachedData();
    const head = `${JSON.stringify({ program: sumOf(source), data: sumOf(data), runs })}\n`;
    fs.writeFileSync(aside, Buffer.concat([Buffer.from(head), data]), { mode: 0o600 });
    fs.renameSync(aside, file);
  } catch {
    // The next run tries again.
  }
}

function sumOf(bytes) {
  return `${bytes.length}-${require("node:zlib").crc32(bytes)}`;
}
