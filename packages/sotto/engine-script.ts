// Part of the build. Compiling takes most of the time of an import and a first turn. V8 can keep compiled functions only of
// scripts, not of modules. So two chunks, `root` (what `import "sotto"` loads) and `turn` (what a first turn needs besides),
// are written such that their bodies are both: between the first line, the imports, and the last, the exports, there is
// nothing that only a module may have. Bundlers get them as the modules they are, by the condition `module` of `#compiled/*`
// in package.json. Node gets `root-node.js` and `turn-node.js`, which run the bodies as scripts, with what
// `compile-engine.js` kept.

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

/** The chunks that Node runs as scripts. */
const SCRIPTS = ["root", "turn"];

export const engineScript: Plugin = {
  name: "engine-script",
  generateBundle(_, bundle) {
    const chunks = Object.values(bundle).filter((one) => one.type === "chunk");
    const partsOf = (file: string) => {
      const chunk = chunks.find(({ fileName }) => `./${fileName}` === file);
      if (chunk === undefined) throw new Error(`the build made no ${file}`);
      return { chunk, ...inParts(chunk.code, this.parse(chunk.code).body) };
    };
    for (const name of SCRIPTS) {
      const { chunk, ...parts } = withCopies(partsOf(`./${name}.js`), partsOf);
      chunk.code = asModule(parts);
      const source = byCondition(asScript(name, parts));
      this.emitFile({ type: "asset", fileName: `${name}-node.js`, source });
    }
    for (const chunk of chunks) chunk.code = byCondition(chunk.code);
  },
};

/** Which of the two a module gets is up to package.json. */
function byCondition(code: string): string {
  return code.replace(/(?<=\bfrom ?)"\.\/(root|turn)\.js"/gu, '"#compiled/$1"');
}

function withCopies<Given extends Parts>(given: Given, partsOf: (file: string) => Parts): Given {
  const imports = given.imports.filter(({ from }) => !COPIED.test(from));
  let copies = "";
  for (const { from, names } of given.imports.filter((one) => COPIED.test(one.from))) {
    const copied = partsOf(from);
    let bindings = "";
    for (const one of copied.imports) {
      const renamed = one.names.map((name) => ({ ...name, local: `$copy${copies.length}$${name.local}` }));
      imports.push({ ...one, names: renamed });
      bindings += one.names.map(({ local }, at) => `const ${local}=${renamed[at]?.local};`).join("");
    }
    copies += `const${pattern(names)}=(()=>{${bindings}${copied.body}\nreturn${pattern(copied.exported)}})();`;
  }
  return { ...given, imports, body: inAscii(copies + given.body) };
}

function asModule({ imports, outside, body, exported }: Parts): string {
  return `${imports.map(asImport).join("")}${constants(outside)}
${body}
export{${exported.map(({ local, name }) => `${local} as ${name}`).join()}};`;
}

function asScript(name: string, { imports, outside, exported }: Parts): string {
  const given = [
    ...imports.flatMap(({ names }) => names.map(({ local }) => local)),
    ...outside.keys(),
  ].join();
  const head = imports.map((one) => (one.from.startsWith("node:") ? asBuiltin(one) : asImport(one)));
  return `${head.join("")}${constants(outside)}
const{${exported.map((one, at) => `${one.name}:$${at}`).join()}}=$run(${JSON.stringify({ name, parameters: given, results: pattern(exported) })})(${given});
export{${exported.map((one, at) => `$${at} as ${one.name}`)}};
${RUN}`;
}

function constants(outside: Parts["outside"]): string {
  return `const ${Array.from(outside, ([name, code]) => `${name}=${code}`).join()};`;
}

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
function $run({name,parameters,results}){
  const fs=process.getBuiltinModule("node:fs"),vm=process.getBuiltinModule("node:vm");
  const path=import.meta.dirname+"/"+name;
  const bytes=fs.readFileSync(path+".js"),body=bytes.subarray(bytes.indexOf(10),bytes.lastIndexOf(10));
  const before="(function("+parameters+'){"use strict";',after="\\nreturn"+results+"})";
  const parts=[Buffer.from(before),body,Buffer.from(after)];
  const kept=$compiled(fs,path+"-"+process.version+"-"+process.arch+".bin",parts);
  const {text,cachedData}=kept??{text:before+body.latin1Slice()+after};
  const script=new vm.Script(text,{filename:$url.replace(/[^/]*$/,name+".js"),cachedData});
  globalThis[Symbol.for("sotto.compiled")]?.(name,script,text);
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
