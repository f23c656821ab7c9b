// Part of the build. What a first turn runs, the chunk `turn`, is most of the library, and compiling it takes most of that
// turn's time. V8 can keep compiled functions only of scripts, not of modules. So the chunk is written such that its body
// is both: between its first line, the imports, and its last, the exports, there is nothing that only a module may have.
// Bundlers get it as the module it is, by the condition `module` of `#turn` in package.json. Node gets `turn-node.js`,
// which runs the body as a script, with what `compile-engine.ts` kept.

import type { Plugin } from "rolldown";

type Bundle = Parameters<Extract<Plugin["generateBundle"], (...given: never) => unknown>>[1];
type Chunk = Extract<Bundle[string], { type: "chunk" }>;
type Syntax = ReturnType<
  ThisParameterType<Extract<Plugin["generateBundle"], (...given: never) => unknown>>["parse"]
>;

interface Cut {
  start: number;
  end: number;
  text: string;
}

export const engineScript: Plugin = {
  name: "engine-script",
  generateBundle(_, bundle) {
    const chunks = Object.values(bundle).filter((one) => one.type === "chunk");
    const turn = chunks.find(({ fileName }) => fileName === "turn.js");
    if (turn === undefined) throw new Error("the build made no chunk turn.js");
    const { code, forNode } = inParts(turn, this.parse(turn.code));
    turn.code = code;
    this.emitFile({ type: "asset", fileName: "turn-node.js", source: forNode });
    for (const chunk of chunks) chunk.code = chunk.code.replace(/(?<=\bfrom ?)"\.\/turn\.js"/gu, '"#turn"');
  },
};

function inParts({ code }: Chunk, { body }: Syntax): { code: string; forNode: string } {
  const head: string[] = [];
  const names: string[] = [];
  const cuts: Cut[] = [];
  const exported: { local: string; name: string }[] = [];
  for (const statement of body)
    if (statement.type === "ImportDeclaration") {
      head.push(code.slice(statement.start, statement.end));
      names.push(...statement.specifiers.map(({ local }) => local.name));
      cuts.push({ ...statement, text: "" });
    } else if (statement.type === "ExportNamedDeclaration" && statement.declaration === null) {
      exported.push(
        ...statement.specifiers.map(({ local, exported: as }) => ({
          local: nameOf(local),
          name: nameOf(as),
        })),
      );
      cuts.push({ ...statement, text: "" });
    } else if (statement.type.startsWith("Export")) throw new Error(`turn.js has a ${statement.type}`);
  const constants: string[] = ["$url=import.meta.url"];
  walk(body, (node) => {
    if (node.type === "MetaProperty" && code.slice(node.start, node.end) === "import.meta")
      cuts.push({ start: node.start, end: node.end + ".url".length, text: "$url" });
    if (node.type !== "ImportExpression") return;
    const name = `$import${constants.length}`;
    constants.push(`${name}=()=>${code.slice(node.start, node.end)}`);
    cuts.push({ ...node, text: `${name}()` });
  });
  names.push(...constants.map((constant) => constant.slice(0, constant.indexOf("="))));
  checkConstant(body, new Set(exported.map(({ local }) => local)));
  const first = `${head.join("")}const ${constants.join(",")};`.replaceAll("\n", " ");
  const last = `export{${exported.map(({ local, name }) => `${local} as ${name}`).join(",")}};`;
  const results = exported.map(({ local, name }) => `${name}:${local}`).join(",");
  return {
    code: `${first}\n${inAscii(without(code, cuts)).trim()}\n${last}`,
    forNode: `${first}
const parameters=${JSON.stringify(names.join())},results=${JSON.stringify(`{${results}}`)};
const{${exported.map(({ name }, at) => `${name}:$${at}`).join()}}=$run({directory:import.meta.dirname,parameters,results})(${names});
export{${exported.map(({ name }, at) => `$${at} as ${name}`)}};
${RUN}`,
  };
}

// An importing module gets the values that there are when the script has run.
function checkConstant(body: Syntax["body"], exported: ReadonlySet<string>): void {
  for (const statement of body)
    if (statement.type === "VariableDeclaration" && statement.kind === "let")
      for (const { id } of statement.declarations)
        if (id.type === "Identifier" && exported.has(id.name))
          throw new Error(`turn.js exports ${id.name}, which may change`);
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
// beside a copy of its text, and twice. Comparing takes a fifth of the time that loading a checksum of Node's takes.
const RUN = `
function $run({directory,parameters,results}){
  const fs=process.getBuiltinModule("node:fs"),vm=process.getBuiltinModule("node:vm");
  const file=directory+"/turn.js",bytes=fs.readFileSync(file),all=bytes.latin1Slice();
  const body=all.slice(all.indexOf("\\n"),all.lastIndexOf("\\n"));
  const text="(function("+parameters+'){"use strict";'+body+"\\nreturn"+results+"})";
  const cachedData=$compiled(fs,directory+"/turn-"+process.version+"-"+process.arch+".bin",bytes);
  const script=new vm.Script(text,{filename:$url.replace(/[^/]*$/,"turn.js"),cachedData});
  globalThis[Symbol.for("sotto.compiled")]?.(script,bytes);
  return script.runInThisContext();
}
function $compiled(fs,file,bytes){
  try{
    const kept=fs.readFileSync(file),end=bytes.length+(kept.length-bytes.length)/2;
    const data=kept.subarray(bytes.length,end);
    return kept.subarray(0,bytes.length).equals(bytes)&&data.equals(kept.subarray(end))?data:undefined;
  }catch{
    return undefined;
  }
}
`;
