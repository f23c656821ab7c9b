// Runs a program from what was compiled of it before. Node's own compile cache leaves out whatever is compiled while it
// runs, and that is most of it. V8 takes what it is given for the program if only the lengths fit, and dies of a bad bit:
// what is kept carries sums of the program and of itself.

const fs = require("node:fs");
const path = require("node:path");
const vm = require("node:vm");
const { createRequire } = require("node:module");

// Each kind of event uses other parts: the first runs add what they needed.
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
    // Before a text is printed: between that and the end of the process nothing may take time.
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

/** A line with the sums and how many runs it knows, then the data. */
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

/** Aside, then in its place: nobody ever reads half of it. Where that is not possible it works without. */
function write(source, runs, script) {
  try {
    const file = place();
    const aside = `${file}.${process.pid}`;
    // Not by `recursive`, which never ends in some places that take no directories.
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

/** Only where something may be kept: the first versions of Node 22 have no such sum, and keep nothing. */
function sumOf(bytes) {
  return `${bytes.length}-${require("node:zlib").crc32(bytes)}`;
}
