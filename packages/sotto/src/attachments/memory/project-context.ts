// Project context: the instruction files in force from the start, and sections the host adds.

import * as v from "valibot";
import { defineAttachment, skip } from "../../core/attachment.ts";
import { belowHeading } from "../../core/below-heading.ts";
import { pathInText } from "../../core/wording.ts";

const schema = v.object({
  files: v.array(
    v.object({
      path: v.string(),
      kind: v.picklist(["managed", "user", "project", "local"]),
      content: v.string(),
    }),
  ),
  extra: v.record(v.string(), v.string()),
});

const GLOBAL = "user's private global instructions for all projects";
const LABELS = {
  managed: GLOBAL,
  user: GLOBAL,
  project: "project instructions, checked into the codebase",
  local: "user's private project instructions, not checked in",
};

export const projectContext = defineAttachment({
  type: "project_context",
  summary: "The instruction files in force from the start of the session.",
  tier: "event",
  when: "the session starts, and again when compaction took it out of view",
  needs: ["projectContext", "contextSections"],
  schema,
  budget: "context",
  carries: "untrusted",
  trigger({ projectContext: found, contextSections: sections }, said) {
    const files = found.known ? [...found.value.files] : [];
    const extra = sections?.known ? { ...sections.value } : {};
    if (said.last !== undefined) return skip(`said in turn ${said.last.turn}, and still in view`);
    if (!found.known) return skip(found.why);
    if (files.length === 0 && Object.keys(extra).length === 0) return skip(whyNone(found.value.skipped));
    return [{ data: { files, extra } }];
  },
  render({ files, extra }) {
    const sections = Object.keys(extra);
    const contents = files.map(
      ({ path, kind, content }) =>
        `Contents of ${pathInText(path)} (${LABELS[kind]}):\n\n${belowHeading(content, sections)}`,
    );
    const instructions = [
      `# ${headingOf(files)}\nThe instruction files in force here. Follow them where they apply.`,
      ...contents,
    ];
    const others = Object.entries(extra).map(
      ([key, text]) => `# ${key.replace(/\s+/gu, " ").trim()}\n${belowHeading(text, sections)}`,
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
  rest: ({ files }, { tools }) => {
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
    { title: "sections alone", data: { files: [], extra: { currentDate: "2026-11-15" } } },
  ],
});

/** Named after the kind of file where all are of one; hosts know `claudeMd` from elsewhere. */
function headingOf(files: readonly { path: string }[]): string {
  const all = (pattern: RegExp) => files.every(({ path }) => pattern.test(path));
  if (all(/(^|[\\/])(CLAUDE(\.local)?\.md$|\.claude[\\/])/u)) return "claudeMd";
  return all(/(^|[\\/])AGENTS(\.\w+)?\.md$/u) ? "agentsMd" : "instructionFiles";
}

function whyNone(skipped: readonly { path: string; reason: string }[]): string {
  const [first] = skipped;
  if (first === undefined) return "there are no instruction files";
  return `no instruction file holds from the start; ${skipped.length} do not load, as ${first.path}: ${first.reason}`;
}
