// Whether a tool's answer says that it failed, where a provider has no field for that: by how it begins.

import { isFields } from "./shared.ts";

// What counts as done is no longer news: an edit that found other text than it looked for must not count.
const FAILED =
  /^[\s<[({*"'`]*(?:tool[_ ](?:use_)?error|error\b|failed\b|failure\b|could not|couldn't|cannot|can't|unable to|no such file|file not found|permission denied|enoent|eacces|\w+error:|apply_patch verification failed|(?:process exited with code|exit code:?) -?[1-9])/iu;
const LOOKED_AT = 200;

export function saysFailed(output: unknown): boolean {
  const [first] = Array.isArray(output) ? output : [output];
  const text = isFields(first) ? first.text : first;
  return typeof text === "string" && FAILED.test(text.slice(0, LOOKED_AT));
}
