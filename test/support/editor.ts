// What an editor shows of a type: the members of a type and their documentation, as the TypeScript language service has them.

import { join } from "node:path";
import ts from "typescript";

export interface Completion {
  name: string;
  documentation: string;
}

export interface Shown {
  /** At each `/*name*\/`. */
  completions: Record<string, Completion[]>;
  /** The documentation of the word after each `/*?name*\/`. */
  hovers: Record<string, string>;
}

/** What an editor shows in a source file that lies in `directory`. */
export function shownIn(directory: string, source: string, options: ts.CompilerOptions): Shown {
  const file = join(directory, "editor.ts");
  const read = (path: string) => (path === file ? source : ts.sys.readFile(path));
  const host: ts.LanguageServiceHost = {
    getScriptFileNames: () => [file],
    getScriptVersion: () => "1",
    getScriptSnapshot: (path) => {
      const text = read(path);
      return text === undefined ? undefined : ts.ScriptSnapshot.fromString(text);
    },
    getCurrentDirectory: () => directory,
    getCompilationSettings: () => options,
    getDefaultLibFileName: (given) => ts.getDefaultLibFilePath(given),
    fileExists: (path) => path === file || ts.sys.fileExists(path),
    readFile: read,
    readDirectory: ts.sys.readDirectory,
    directoryExists: ts.sys.directoryExists,
    getDirectories: ts.sys.getDirectories,
    ...(ts.sys.realpath === undefined ? {} : { realpath: ts.sys.realpath }),
  };
  const service = ts.createLanguageService(host);
  const completions = [...source.matchAll(/\/\*(\w+)\*\//gu)].map(({ 1: name = "", index }) => {
    const found = service.getCompletionsAtPosition(file, index, {});
    const entries = found === undefined || found.isGlobalCompletion ? [] : found.entries;
    return [
      name,
      entries.map((entry) => ({
        name: entry.name,
        documentation: docOf(service, { file, at: index, entry }),
      })),
    ];
  });
  const hovers = [...source.matchAll(/\/\*\?(\w+)\*\//gu)].map(({ 0: mark, 1: name = "", index }) => {
    const info = service.getQuickInfoAtPosition(file, index + mark.length);
    return [name, ts.displayPartsToString(info?.documentation)];
  });
  return { completions: Object.fromEntries(completions), hovers: Object.fromEntries(hovers) };
}

function docOf(
  service: ts.LanguageService,
  { file, at, entry }: { file: string; at: number; entry: ts.CompletionEntry },
): string {
  const details = service.getCompletionEntryDetails(file, at, entry.name, {}, entry.source, {}, entry.data);
  return ts.displayPartsToString(details?.documentation);
}
