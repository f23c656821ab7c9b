// Tools as requests declare them: one object for each declaration, and one list for the same tools, in all sessions. A server
// has thousands of sessions whose requests bring the same tools again and again, with long descriptions.

import type { DeclaredTool } from "../dialects/dialect.ts";

type Tools = readonly DeclaredTool[];

// They live as long as a session has them.
const tools = new Map<string, readonly WeakRef<DeclaredTool>[]>();
/** By their first tool. */
const lists = new WeakMap<DeclaredTool, readonly WeakRef<Tools>[]>();

// More than all agents of a server have; those with other names begin anew.
const NAMES_MOST = 2000;
// No real tool has such a name; it is not shared.
const LONGEST_NAME = 1000;
const NONE: Tools = [];

export function sharedTools(declared: Tools): Tools {
  const found = declared.map(sharedTool);
  const [first] = found;
  if (first === undefined) return NONE;
  const known = lists.get(first) ?? [];
  const isSame = (list: Tools) =>
    list.length === found.length && list.every((tool, index) => tool === found[index]);
  const same = firstOf(known, isSame);
  if (same !== undefined) return same;
  lists.set(first, withOne(known, found));
  return found;
}

export function sharedTool(tool: DeclaredTool): DeclaredTool {
  const { name, description, fields } = tool;
  const known = tools.get(name) ?? [];
  const same = firstOf(known, (one) => one.description === description && isSameList(one.fields, fields));
  if (same !== undefined) return same;
  const made: DeclaredTool = Object.freeze({ ...tool, ...(fields && { fields: [...fields] }) });
  if (name.length > LONGEST_NAME) return made;
  if (tools.size >= NAMES_MOST) tools.clear();
  tools.set(name, withOne(known, made));
  return made;
}

function firstOf<T extends object>(refs: readonly WeakRef<T>[], isIt: (one: T) => boolean): T | undefined {
  for (const ref of refs) {
    const one = ref.deref();
    if (one !== undefined && isIt(one)) return one;
  }
  return undefined;
}

function withOne<T extends object>(refs: readonly WeakRef<T>[], one: T): WeakRef<T>[] {
  return [...refs.filter((ref) => ref.deref() !== undefined), new WeakRef(one)];
}

function isSameList(one: readonly string[] | undefined, other: readonly string[] | undefined): boolean {
  if (one === undefined || other === undefined) return one === other;
  return one.length === other.length && one.every((item, index) => item === other[index]);
}
