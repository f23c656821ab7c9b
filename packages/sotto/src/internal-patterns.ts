// `sotto/internal/patterns`: the patterns of read rules and .gitignore files for the search worker of our own agent, which
// must not load the whole library. Promises nothing.

export { expandBraces } from "./platform/braces.ts";
export { compileGlob, type Glob, matchGlobs, namesOf } from "./platform/gitignore.ts";
export {
  compilePattern,
  createRuleMatcher,
  literalHead,
  moveLine,
  type RuleLine,
} from "./platform/read-rules.ts";
