// Runs a program from cached V8 bytecode. Node's own compile cache leaves out functions compiled while the program runs,
// which is most of them. V8 accepts cached data if only the lengths match, and crashes on a wrong bit, so the cache has a
// copy of the program, and the data twice. Comparing takes a fifth of the time that loading a checksum of Node's takes.

const fs = require("node:fs");
const path = require("node:path");
const vm = require("node:vm");

// Each kind of event uses other functions: the first runs add theirs to the cache.
const LEARNING = 12;

exports.LEARNING = LEARNING;
exports.cacheName = `hook-${process.version}-${process.arch}.bin`;

exports.runCompiled = (program) => {
  const source = fs.readFileSync(program);
  const { script, runs } = compile(program, source);
  if (runs < LEARNING) {
    let isKept = false;
    const keep = () => {
      if (!isKept) write(source, runs + 1, script);
      isKept = true;
    };
    // Before output is printed: after that the process must exit quickly. Unless nobody waits: then with what follows.
    if (!process.env.SOTTO_COMPILE_HOOK) process.once("sotto:last", keep);
    process.on("exit", keep);
  }
  // This file's own `require` finds the same packages: making another one takes a millisecond.
  script.runInThisContext()(require, program, path.dirname(program));
};

/** Whether a call starts from cached bytecode, as far as can be seen without running one. */
exports.isCompiled = (program) => {
  const source = fs.readFileSync(program);
  return places(program).some((file) => read(file, source) !== undefined);
};

/** From the first cache that fits: of another version of V8, or with other flags, it is rejected. */
function compile(program, source) {
  // The build leaves no other characters than ASCII: a text of one byte a character loads faster.
  const text = source.latin1Slice();
  const options = {
    filename: program,
    importModuleDynamically: vm.constants.USE_MAIN_CONTEXT_DEFAULT_LOADER,
  };
  for (const file of places(program)) {
    const kept = read(file, source);
    if (kept === undefined) continue;
    const script = new vm.Script(text, { ...options, cachedData: kept.data });
    if (!script.cachedDataRejected) return { script, runs: kept.runs };
    // V8 has now compiled the program itself, and would again in every call.
    if (file === ownPlace()) remove(file);
  }
  return { script: new vm.Script(text, options), runs: 0 };
}

/** The user's own cache, then the one that came with the package, if it was built with this version of Node. */
function places(program) {
  return [ownPlace(), path.join(path.dirname(program), exports.cacheName)];
}

function ownPlace() {
  const given = process.env.XDG_CACHE_HOME || "";
  const directory = path.isAbsolute(given) ? given : path.join(require("node:os").homedir(), ".cache");
  return path.join(directory, "sotto", exports.cacheName);
}

// What is only compared is read in pieces: memory that was never used before takes longer to get than to fill.
const PIECE = 1 << 17;

/** The file is a line with the length of the program and the number of runs, then the program, the data, and the data. */
function read(file, source) {
  let opened;
  try {
    opened = fs.openSync(file);
    const { size } = fs.fstatSync(opened);
    const piece = Buffer.allocUnsafeSlow(PIECE);
    fs.readSync(opened, piece, 0, PIECE, 0);
    const start = piece.indexOf(10) + 1;
    const { program, runs } = JSON.parse(piece.latin1Slice(0, start));
    const end = start + program;
    const length = (size - end) / 2;
    const data = Buffer.allocUnsafeSlow(length);
    if (fs.readSync(opened, data, 0, length, end) !== length) return undefined;
    const isSame = (bytes, from) => {
      for (let at = 0; at < bytes.length; at += PIECE) {
        const count = Math.min(PIECE, bytes.length - at);
        if (fs.readSync(opened, piece, 0, count, from + at) !== count) return false;
        if (bytes.compare(piece, 0, count, at, at + count) !== 0) return false;
      }
      return true;
    };
    return program === source.length && isSame(source, start) && isSame(data, end + length)
      ? { data, runs }
      : undefined;
  } catch {
    return undefined;
  } finally {
    if (opened !== undefined) fs.closeSync(opened);
  }
}

function remove(file) {
  try {
    fs.unlinkSync(file);
  } catch {
    // It stays as it is.
  }
}

/** Writes aside and renames, so that nobody reads half a file. Without a cache the program still works. */
function write(source, runs, script) {
  try {
    const file = ownPlace();
    const aside = `${file}.${process.pid}`;
    // Without `recursive`, which loops forever in some places like /proc.
    const directory = path.dirname(file);
    for (const one of [path.dirname(directory), directory])
      if (!fs.existsSync(one)) fs.mkdirSync(one, { mode: 0o700 });
    const data = script.createCachedData();
    const head = Buffer.from(`${JSON.stringify({ program: source.length, runs })}\n`);
    fs.writeFileSync(aside, Buffer.concat([head, source, data, data]), { mode: 0o600 });
    fs.renameSync(aside, file);
  } catch {
    // The next run tries again.
  }
}
