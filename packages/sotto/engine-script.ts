// Part of the build. What a first turn runs, the chunk `turn`, is most of the library, and compiling it takes most of that
// turn's time. V8 can keep compiled functions only of scripts, not of modules. So the chunk is written such that its body
// is both: between its first line, the imports, and its last, the exports, there is nothing that only a module may have.
// Bundlers get it as the module it is, by the condition `module` of `#turn` in package.json. Node gets `turn-node.js`,
// which runs the body as a script, with what `compile-engine.ts` kept.

import type { Plugin } from "rolldown";

type Syntax = ReturnType<
  ThisParameterType<Extract<Plugin["generateBundle"], (...given: never) => unknown>>["parse"]
>;

interface Cut {
  start: number;
  end: number;
  text: string;
}

/** Small, without state, and needed by every turn: the chunk has its own copy, as each file more takes time to find. */
const COPIED = /^\.\/(?:shared|rolldown-runtime)-/u;

export const engineScript: Plugin = {
  name: "engine-script",
  generateBundle(_, bundle) {
    const chunks = Object.values(bundle).filter((one) => one.type === "chunk");
    const partsOf = (file: string) => {
      const chunk = chunks.find(({ fileName }) => `./${fileName}` === file);
      if (chunk === undefined) throw new Error(`the build made no ${file}`);
      return { chunk, ...inParts(chunk.code, this.parse(chunk.code).body) };
    };
    const turn = partsOf("./turn.js");
    const imports = turn.imports.filter(({ from }) => !COPIED.test(from));
    let copies = "";
    for (const { from, names } of turn.imports.filter((one) => COPIED.test(one.from))) {
      const copied = partsOf(from);
      let bindings = "";
      for (const one of copied.imports) {
        const renamed = one.names.map((name) => ({ ...name, local: `$copy${copies.length}$${name.local}` }));
        imports.push({ ...one, names: renamed });
        bindings += one.names.map(({ local }, at) => `const ${local}=${renamed[at]?.local};`).join("");
      }
      copies += `const${pattern(names)}=(()=>{${bindings}${copied.body}\nreturn${pattern(copied.exported)}})();`;
    }
    const given = [
      ...imports.flatMap(({ names }) => names.map(({ local }) => local)),
      ...turn.outside.keys(),
    ];
    const outside = `const ${Array.from(turn.outside, ([name, code]) => `${name}=${code}`).join()};`;
    const { exported } = turn;
    turn.chunk.code = `${imports.map(asImport).join("")}${outside}
${inAscii(copies + turn.body)}
export{${exported.map(({ local, name }) => `${local} as ${name}`).join()}};`;
    const forNode = `${imports.map((one) => (one.from.startsWith("node:") ? asBuiltin(one) : asImport(one))).join("")}${outside}
const parameters=${JSON.stringify(given.join())},results=${JSON.stringify(pattern(exported))};
const{${exported.map(({ name }, at) => `${name}:$${at}`).join()}}=$run({directory:import.meta.dirname,parameters,results})(${given});
export{${exported.map(({ name }, at) => `$${at} as ${name}`)}};
${RUN}`;
    this.emitFile({ type: "asset", fileName: "turn-node.js", source: forNode });
    for (const chunk of chunks) chunk.code = chunk.code.replace(/(?<=\bfrom ?)"\.\/turn\.js"/gu, '"#turn"');
  },
};

interface Binding {
  local: string;
  /** As the other module calls it; `*` for all of it. */
  name: string;
}

interface Import {
  from: string;
  names: Binding[];
}

interface Parts {
  imports: Import[];
  /** Without imports and exports. */
  body: string;
  exported: Binding[];
  /** Expressions that only a module may have, by the name that the body has for each. */
  outside: Map<string, string>;
}

function inParts(code: string, statements: Syntax["body"]): Parts {
  const imports: Import[] = [];
  const exported: Binding[] = [];
  const cuts: Cut[] = [];
  for (const statement of statements)
    if (statement.type === "ImportDeclaration") {
      const names = statement.specifiers.map((one) => ({
        local: one.local.name,
        name:
          one.type === "ImportNamespaceSpecifier"
            ? "*"
            : one.type === "ImportDefaultSpecifier"
              ? "default"
              : nameOf(one.imported),
      }));
      imports.push({ from: statement.source.value, names });
      cuts.push({ ...statement, text: "" });
    } else if (statement.type === "ExportNamedDeclaration" && statement.declaration === null) {
      const names = statement.specifiers.map((one) => ({
        local: nameOf(one.local),
        name: nameOf(one.exported),
      }));
      exported.push(...names);
      cuts.push({ ...statement, text: "" });
    } else if (statement.type.startsWith("Export")) throw new Error(`a chunk has a ${statement.type}`);
  checkConstant(statements, new Set(exported.map(({ local }) => local)));
  const outside = new Map([["$url", "import.meta.url"]]);
  walk(statements, (node) => {
    if (node.type === "MetaProperty" && code.slice(node.start, node.end) === "import.meta")
      cuts.push({ start: node.start, end: node.end + ".url".length, text: "$url" });
    if (node.type !== "ImportExpression") return;
    const name = `$import${outside.size}`;
    outside.set(name, `()=>${code.slice(node.start, node.end)}`);
    cuts.push({ ...node, text: `${name}()` });
  });
  return { imports, exported, outside, body: without(code, cuts).trim() };
}

function asImport({ from, names }: Import): string {
  const all = names.find(({ name }) => name === "*");
  const some = names.map(({ name, local }) => `${name} as ${local}`).join();
  return `import${all === undefined ? `{${some}}` : `*as ${all.local} `}from${JSON.stringify(from)};`;
}

/** As a module, `node:fs` would be read whole, and so would the streams behind it. */
function asBuiltin({ from, names }: Import): string {
  const all = names.find(({ name }) => name === "*");
  return `const${all === undefined ? pattern(names) : ` ${all.local}`}=process.getBuiltinModule(${JSON.stringify(from)});`;
}

/** As a pattern it binds these names, as an expression it has them. */
function pattern(names: readonly Binding[]): string {
  return `{${names.map(({ name, local }) => `${name}:${local}`).join()}}`;
}

// An importing module gets the values that there are when the script has run.
function checkConstant(statements: Syntax["body"], exported: ReadonlySet<string>): void {
  for (const statement of statements)
    if (statement.type === "VariableDeclaration" && statement.kind === "let")
      for (const { id } of statement.declarations)
        if (id.type === "Identifier" && exported.has(id.name))
          throw new Error(`a chunk exports ${id.name}, which may change`);
}

interface Node {
  type: string;
  start: number;
  end: number;
}

function walk(value: unknown, visit: (node: Node) => void): void {
  if (typeof value !== "object" || value === null) return;
  if ("type" in value && "start" in value) visit(value as Node);
  for (const child of Object.values(value)) walk(child, visit);
}

function without(code: string, cuts: readonly Cut[]): string {
  let at = 0;
  let result = "";
  for (const { start, end, text } of cuts.toSorted((a, b) => a.start - b.start)) {
    result += code.slice(at, start) + text;
    at = end;
  }
  return result + code.slice(at);
}

function nameOf(name: { type: string; name?: string; value?: string }): string {
  return name.name ?? name.value ?? "";
}

/** A text of one byte a character takes half the time to read. */
function inAscii(code: string): string {
  return code.replace(/[^\p{ASCII}]/gv, (character) =>
    Array.from(
      { length: character.length },
      (_, at) => `\\u${character.charCodeAt(at).toString(16).padStart(4, "0")}`,
    ).join(""),
  );
}

// V8 takes compiled code for that of any text of the same length, and crashes on a wrong bit: what was compiled stands
// beside its text, and twice, after a line with the text's length. Comparing takes a fifth of the time that loading a
// checksum of Node's takes. Only one string is made of the text, as two would start a garbage collection.
const RUN = `
function $run({directory,parameters,results}){
  const fs=process.getBuiltinModule("node:fs"),vm=process.getBuiltinModule("node:vm");
  const bytes=fs.readFileSync(directory+"/turn.js"),body=bytes.subarray(bytes.indexOf(10),bytes.lastIndexOf(10));
  const before="(function("+parameters+'){"use strict";',after="\\nreturn"+results+"})";
  const parts=[Buffer.from(before),body,Buffer.from(after)];
  const kept=$compiled(fs,directory+"/turn-"+process.version+"-"+process.arch+".bin",parts);
  const {text,cachedData}=kept??{text:before+body.latin1Slice()+after};
  const script=new vm.Script(text,{filename:$url.replace(/[^/]*$/,"turn.js"),cachedData});
  globalThis[Symbol.for("sotto.compiled")]?.(script,text);
  return script.runInThisContext();
}
function $compiled(fs,file,parts){
  try{
    const kept=fs.readFileSync(file),start=kept.indexOf(10)+1;
    let end=start;
    for(const part of parts)if(!part.equals(kept.subarray(end,end+=part.length)))return undefined;
    const middle=(end+kept.length)/2,cachedData=kept.subarray(end,middle);
    return cachedData.equals(kept.subarray(middle))?{text:kept.latin1Slice(start,end),cachedData}:undefined;
  }catch{
    return undefined;
  }
}
`;
