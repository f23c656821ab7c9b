// Adds, updates, finds and removes our hooks in an agent's settings. All other bytes stay the same.

import { type JsonProblem, placeOf } from "../input/json.ts";
import { shellWords } from "./choose-program.ts";
import {
  append,
  type JsonNode,
  memberOf,
  parseTree,
  removeAt,
  styleOf,
  USUAL_STYLE,
  write,
} from "./edit-json.ts";
import type { HookGroup, HookHandler, HookTable } from "./hook-table.ts";

/** The same text if nothing had to change. */
export type Merged = { text: string } | { problem: JsonProblem };

interface OwnHook {
  event: string;
  group: number;
  handler: number;
  command: string;
}

export function mergeHooks(text: string | undefined, table: HookTable): Merged {
  if (text === undefined) return { text: `${write({ hooks: table }, USUAL_STYLE, { levels: 2 })}\n` };
  const root = rootOf(text);
  if ("problem" in root) return root;
  const problem = shapeProblem(text, root.root, table);
  if (problem !== undefined) return { problem };
  const standing = Object.keys(table).filter((event) => isStanding(root.root, event, table[event]));
  const cleared = takeOut(text, {
    stays: (event) => standing.includes(event),
    keepsEmpty: (event) => event === undefined || event in table,
  });
  const missing = Object.entries(table).filter(([event]) => !standing.includes(event));
  return { text: missing.reduce((now, [event, groups]) => addGroups(now, event, groups), cleared) };
}

/** Removes our hooks. Lists and tables that were empty in `before` stay. */
export function withoutHooks(text: string, before?: string): Merged {
  const parsed = rootOf(text);
  if ("problem" in parsed) return parsed;
  const old = before === undefined ? undefined : rootOf(before);
  const oldHooks = old !== undefined && "root" in old ? memberOf(old.root, "hooks") : undefined;
  const keepsEmpty = (event: string | undefined) =>
    event === undefined ? oldHooks !== undefined : memberOf(oldHooks?.value, event) !== undefined;
  return { text: takeOut(text, { stays: () => false, keepsEmpty }) };
}

export function ownHooks(text: string): OwnHook[] {
  const parsed = rootOf(text);
  return "root" in parsed ? ownIn(parsed.root) : [];
}

function ownIn(root: JsonNode): OwnHook[] {
  const hooks = memberOf(root, "hooks")?.value;
  // Of duplicate keys, agents see the last.
  const events = hooks?.members?.filter((member) => member === memberOf(hooks, member.key)) ?? [];
  return events.flatMap(({ key, value }) =>
    (value.items ?? []).flatMap((group, groupIndex) =>
      (memberOf(group, "hooks")?.value.items ?? []).flatMap((handler, handlerIndex) =>
        isOwnHandler(handler.value)
          ? [
              {
                event: key,
                group: groupIndex,
                handler: handlerIndex,
                command: commandOf(handler.value) ?? "",
              },
            ]
          : [],
      ),
    ),
  );
}

function rootOf(text: string): { root: JsonNode } | { problem: JsonProblem } {
  const parsed = parseTree(text);
  if ("problem" in parsed || parsed.root.members !== undefined) return parsed;
  return { problem: { ...placeOf(text, parsed.root.start), words: "expected an object" } };
}

/** A value where our hooks would go that cannot hold them. */
function shapeProblem(text: string, root: JsonNode, table: HookTable): JsonProblem | undefined {
  const hooks = memberOf(root, "hooks")?.value;
  if (hooks === undefined) return undefined;
  if (hooks.members === undefined)
    return { ...placeOf(text, hooks.start), words: "expected an object of hooks" };
  const wrong = Object.keys(table)
    .map((event) => ({ event, value: memberOf(hooks, event)?.value }))
    .find(({ value }) => value !== undefined && value.items === undefined);
  if (wrong?.value === undefined) return undefined;
  return { ...placeOf(text, wrong.value.start), words: `expected an array for ${wrong.event}` };
}

/** Whether it is there exactly once and up to date; fields the user added, like a status message, do not matter. */
function isStanding(root: JsonNode, event: string, wanted: readonly HookGroup[] = []): boolean {
  const own = ownIn(root).filter((hook) => hook.event === event);
  const [found] = own;
  const [group] = wanted;
  if (own.length !== 1 || found === undefined || group === undefined) return false;
  const groups = memberOf(memberOf(root, "hooks")?.value, event)?.value.value as HookGroup[];
  const is = groups[found.group] as HookGroup;
  const handler = is.hooks[found.handler] as HookHandler;
  const should = group.hooks[0] as HookHandler;
  return (
    (is.matcher ?? "") === (group.matcher ?? "") &&
    commandOf(handler) === should.command &&
    handler.type === should.type &&
    handler.timeout === should.timeout
  );
}

interface TakingOut {
  stays: (event: string) => boolean;
  /** Whether an event's list, or the whole table if undefined, stays when it becomes empty. */
  keepsEmpty: (event: string | undefined) => boolean;
}

function takeOut(text: string, options: TakingOut): string {
  const { root } = parseTree(text) as { root: JsonNode };
  const own = ownIn(root).findLast(({ event }) => !options.stays(event));
  return own === undefined ? text : takeOut(takeOutOne(text, own, options), options);
}

function takeOutOne(text: string, { event, group, handler }: OwnHook, { keepsEmpty }: TakingOut): string {
  const { root } = parseTree(text) as { root: JsonNode };
  const hooks = memberOf(root, "hooks")?.value as JsonNode;
  const groups = memberOf(hooks, event)?.value as JsonNode;
  const handlers = memberOf(groups.items?.[group], "hooks")?.value as JsonNode;
  if ((handlers.items?.length ?? 0) > 1) return removeAt(text, handlers, handler);
  if ((groups.items?.length ?? 0) > 1 || keepsEmpty(event)) return removeAt(text, groups, group);
  if ((hooks.members?.length ?? 0) > 1 || keepsEmpty(undefined))
    return removeAt(text, hooks, indexOf(hooks, event));
  return removeAt(text, root, indexOf(root, "hooks"));
}

function indexOf({ members = [] }: JsonNode, key: string): number {
  return members.findLastIndex((member) => member.key === key);
}

function addGroups(text: string, event: string, groups: readonly HookGroup[]): string {
  const { root } = parseTree(text) as { root: JsonNode };
  const style = styleOf(text, root);
  const hooks = memberOf(root, "hooks")?.value;
  if (hooks === undefined)
    return append(text, { container: root, key: "hooks", value: { [event]: groups }, style, levels: 1 });
  const list = memberOf(hooks, event)?.value;
  if (list === undefined) return append(text, { container: hooks, key: event, value: groups, style });
  return groups.reduce((now, group) => {
    const again = parseTree(now) as { root: JsonNode };
    const container = memberOf(memberOf(again.root, "hooks")?.value, event)?.value as JsonNode;
    return append(now, { container, value: group, style });
  }, text);
}

/** Whether its command is `sotto hook …` and nothing else, whatever the path of the program. */
export function isOwnHandler(handler: unknown): boolean {
  const words = wordsOf(handler);
  const at = words.indexOf("hook");
  const [program = "", starter = "node"] = words.slice(0, Math.max(0, at)).map(nameOf).reverse();
  return (
    (at === 1 || at === 2) &&
    /^sotto(?:-cli)?(?:\.js)?$/u.test(program) &&
    /^(?:node|npx|bunx)(?:\.exe)?$/u.test(starter) &&
    // A list or a pipe of commands is somebody's own.
    !words.slice(at).some((word) => /[;&|<>()`]/u.test(word))
  );
}

/** Without the words that keep a failure from the agent. */
function wordsOf(handler: unknown): string[] {
  const { command, args } = (handler ?? {}) as { command?: unknown; args?: unknown };
  if (typeof command !== "string") return [];
  return Array.isArray(args)
    ? [command, ...args].map(String)
    : shellWords(command.replace(/\s*\|\|\s*true\s*$/u, ""));
}

function nameOf(path: string): string {
  return path.replace(/^.*[/\\]/su, "");
}

/** The whole command line, also of a hook started without a shell. */
export function commandOf(handler: unknown): string | undefined {
  if (typeof handler !== "object" || handler === null) return undefined;
  const { command, args } = handler as { command?: unknown; args?: unknown };
  if (typeof command !== "string") return undefined;
  return Array.isArray(args) ? [command, ...args].join(" ") : command;
}
