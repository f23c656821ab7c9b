// Project context: the instruction files that apply from the start, and sections the host adds.

import * as v from "valibot";
import type { ProjectContext } from "../../facts/facts.ts";
import { leftOut, pathInText } from "../../render/wording.ts";
import { defineAttachment, skip, withNote } from "../attachment.ts";
import { headingMarker, markHeadings } from "../shared/mark-headings.ts";

const schema = v.object({
  files: v.array(
    v.object({
      path: v.string(),
      kind: v.picklist(["managed", "user", "project", "local"]),
      content: v.string(),
    }),
  ),
  extra: v.record(v.string(), v.string()),
  /** Since the turn in which they were sent: which files are new, and which no longer apply. */
  changes: v.optional(v.object({ since: v.number(), fresh: v.array(v.string()), gone: v.array(v.string()) })),
});

// The versions sent are kept in a key of at most this many characters; beyond it, a change sends all files again.
const LONGEST_KEY = 20_000;
const GLOBAL = "user's private global instructions for all projects";
const LABELS = {
  managed: "instructions of this machine's owner, which go before all others",
  user: GLOBAL,
  project: "project instructions, checked into the codebase",
  local: "user's private project instructions, not checked in",
};

export const projectContext = defineAttachment({
  type: "project_context",
  summary: "The instruction files that apply from the start of the session.",
  tier: "event",
  when: "the session starts, and again after compaction; between them, what has changed",
  needs: ["projectContext", "contextSections", "files"],
  schema,
  budget: "context",
  repeat: "changed",
  trigger({ projectContext: found, contextSections: sections, files: { tracked, pending } }, sent) {
    if (!found.known) return skip(sent.last === undefined ? found.why : stillInView(sent.last.turn));
    const files = found.value.files.map(({ path, kind, content }) => ({ path, kind, content }));
    const extra = sections?.known ? { ...sections.value } : {};
    const now = new Map(found.value.files.map(({ path, version }) => [path, version]));
    if (sent.last === undefined) {
      if (files.length === 0 && Object.keys(extra).length === 0) return skip(whyNone(found.value));
      return withNote([{ data: { files, extra }, key: keyOf(now) }], beside(found.value));
    }
    const { turn, key } = sent.last;
    const before = versionsIn(key);
    if (before === undefined) {
      if (key === undefined || key === keyOf(now)) return skip(stillInView(turn, found.value));
      const all = { files, extra, changes: { since: turn, fresh: [], gone: [] } };
      return withNote([{ data: all, key: keyOf(now) }], beside(found.value));
    }
    /** The agent wrote or read this version, or a notice about the file reports it. */
    const knows = ({ realPath, hash }: (typeof found.value.files)[number]) => {
      const file = tracked[realPath];
      if (file?.seen === undefined || file.seen.shownLines !== undefined || file.hidden) return false;
      return (
        file.seen.hash === hash ||
        pending.some((one) => one.realPath === realPath && one.after?.hash === hash)
      );
    };
    const inDoubt = new Set(found.value.inDoubt);
    const changed = found.value.files.filter(
      (file) => before.get(file.path) !== file.version && !knows(file),
    );
    const gone = [...before.keys()].filter((path) => !now.has(path) && !inDoubt.has(path));
    if (changed.length === 0 && gone.length === 0) return skip(stillInView(turn, found.value));
    const kept = [...before].filter(([path]) => inDoubt.has(path));
    const fresh = changed.flatMap(({ path }) => (before.has(path) ? [] : [path]));
    const data = {
      files: changed.map(({ path, kind, content }) => ({ path, kind, content })),
      extra: {},
      changes: { since: turn, fresh, gone },
    };
    return withNote([{ data, key: keyOf(new Map([...kept, ...now])) }], beside(found.value));
  },
  render({ files, extra, changes }) {
    if (changes !== undefined) return changesText(files, changes);
    const mark = headingMarker(Object.keys(extra));
    const contents = files.map(
      ({ path, kind, content }) => `Contents of ${pathInText(path)} (${LABELS[kind]}):\n\n${mark(content)}`,
    );
    const instructions = [
      `# ${headingOf(files)}\nThe instruction files in force here. Follow them where they apply.`,
      ...contents,
    ];
    const others = Object.entries(extra).map(
      ([key, text]) => `# ${key.replace(/\s+/gu, " ").trim()}\n${mark(text)}`,
    );
    const parts = [
      ...(files.length === 0 ? [] : [instructions.join("\n\n")]),
      ...others,
      ...(others.length === 0
        ? []
        : [
            `${files.length === 0 ? "These" : "The other"} sections may or may not matter for what you are asked.`,
          ]),
    ];
    return parts.join("\n\n");
  },
  readMoreAt: ({ files }, { tools }) => {
    if (files.length === 0) return "the host has the rest";
    const read = tools.tool("Read");
    const names = files.map(({ path }) => path).join(", ");
    return read === undefined ? `the files have the rest: ${names}` : `use ${read} for the rest: ${names}`;
  },
  examples: [
    {
      title: "instructions of a project and its user",
      data: {
        files: [
          { path: "/home/u/.claude/CLAUDE.md", kind: "user", content: "Answer in short sentences." },
          { path: "/repo/AGENTS.md", kind: "project", content: "Run `npm test` before you finish." },
          { path: "/repo/CLAUDE.local.md", kind: "local", content: "My database is called dev2." },
        ],
        extra: {},
      },
    },
    {
      title: "Claude's instruction files alone",
      data: {
        files: [{ path: "/repo/CLAUDE.md", kind: "project", content: "Use tabs." }],
        extra: {},
      },
    },
    {
      title: "with sections of the host",
      data: {
        files: [{ path: "/repo/AGENTS.md", kind: "project", content: "Use tabs." }],
        extra: { gitStatus: "On branch main, nothing to commit." },
      },
    },
    {
      title: "one has changed since, one is new, one is gone",
      data: {
        files: [
          { path: "/repo/AGENTS.md", kind: "project", content: "Use spaces." },
          { path: "/repo/CLAUDE.local.md", kind: "local", content: "My database is called dev3." },
        ],
        extra: {},
        changes: { since: 1, fresh: ["/repo/CLAUDE.local.md"], gone: ["/repo/docs/style.md"] },
      },
    },
    { title: "sections alone", data: { files: [], extra: { currentDate: "2026-11-15" } } },
  ],
});

/** Named after the files when all are of one kind; hosts know `claudeMd` from elsewhere. */
function headingOf(files: readonly { path: string }[]): string {
  const all = (pattern: RegExp) => files.every(({ path }) => pattern.test(path));
  if (all(/(^|[\\/])(CLAUDE(\.local)?\.md$|\.claude[\\/])/u)) return "claudeMd";
  return all(/(^|[\\/])AGENTS(\.\w+)?\.md$/u) ? "agentsMd" : "instructionFiles";
}

type Files = v.InferOutput<typeof schema>["files"];
type Changes = NonNullable<v.InferOutput<typeof schema>["changes"]>;

function changesText(files: Files, { fresh, gone }: Changes): string {
  const isNew = new Set(fresh);
  const contents = files.map(({ path, kind, content }) => {
    const how = isNew.has(path) ? "new" : "in place of what it said before";
    return `Contents of ${pathInText(path)} (${LABELS[kind]}), ${how}:\n\n${markHeadings(content)}`;
  });
  const over = gone.map(
    (path) =>
      `${pathInText(path)} no longer applies here: what you were given from it is not in force any more.`,
  );
  return [
    "The instruction files in force here have changed since you were given them.",
    ...contents,
    ...over,
  ].join("\n\n");
}

function stillInView(turn: number, found?: ProjectContext): string {
  const left = found && beside(found);
  return `sent in turn ${turn}, still in view, unchanged since${left === undefined ? "" : `; ${left}`}`;
}

/** Which version of which file was sent. */
function keyOf(versions: ReadonlyMap<string, string>): string {
  const lines = [...versions].map(([path, version]) => `${version} ${path}`);
  const key = JSON.stringify(lines);
  return key.length <= LONGEST_KEY ? key : [...versions.values()].join("").slice(0, LONGEST_KEY);
}

/** Undefined when there were too many to list. */
function versionsIn(key: string | undefined): Map<string, string> | undefined {
  if (!key?.startsWith("[")) return undefined;
  const lines = JSON.parse(key) as string[];
  return new Map(lines.map((line) => [line.slice(line.indexOf(" ") + 1), line.slice(0, line.indexOf(" "))]));
}

function whyNone(found: ProjectContext): string {
  const left = beside(found);
  return left === undefined
    ? "there are no instruction files"
    : `no instruction file applies from the start; ${left}`;
}

function beside({ skipped, moreSkipped }: ProjectContext): string | undefined {
  const list = skipped.map(({ path, reason }) => ({ name: path, reason }));
  return leftOut("left out, or with a problem", list, moreSkipped);
}
