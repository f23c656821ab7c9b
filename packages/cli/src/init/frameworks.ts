// Libraries that call models, found in package.json and in Python's requirement files, and how to use Sotto with each.

import { join } from "node:path";
import { textOf } from "./coding-agents.ts";

export interface FoundFramework extends Advice {
  /** The file that names it. */
  file: string;
}

export function findFrameworks(project: string): FoundFramework[] {
  const read = (name: string) => textOf(join(project, name));
  const packages = packagesIn(read("package.json"));
  const found = javascriptAdvice
    .filter((advice) => packages.has(advice.package))
    .map((advice) => ({ ...advice, file: "package.json" }));
  const python = ["pyproject.toml", "requirements.txt"].flatMap((file) =>
    pythonAdvice.filter((advice) => names(read(file), advice.package)).map((advice) => ({ ...advice, file })),
  );
  const first = python.filter(
    (one, index) => python.findIndex((other) => other.package === one.package) === index,
  );
  return [...found, ...first];
}

function packagesIn(text: string): Set<string> {
  try {
    const { dependencies, devDependencies, peerDependencies } = JSON.parse(text) as Record<string, object>;
    return new Set(Object.keys({ ...peerDependencies, ...devDependencies, ...dependencies }));
  } catch {
    return new Set();
  }
}

/** Whether a requirement names the package: as a line, quoted in a list, or as the key of a table. */
function names(text: string, name: string): boolean {
  const line = `^\\s*${name}(?:\\[[^\\]]*\\])?\\s*(?:[<>=~!;@#].*)?$`;
  const quoted = `(["'])${name}(?:\\[[^\\]]*\\])?\\s*(?:[<>=~!;@][^"'\\n]*)?\\1`;
  return new RegExp(`${quoted}|${line}`, "imu").test(text);
}

export interface Advice {
  package: string;
  title: string;
  guide: string;
  lines: readonly string[];
}

export const javascriptAdvice: readonly Advice[] = [
  advice("ai", {
    title: "AI SDK",
    entry: "ai-sdk",
    line: "const model = wrapLanguageModel({ model: yours, middleware: reminders(session) });",
  }),
  advice("@anthropic-ai/sdk", {
    title: "Anthropic SDK",
    entry: "anthropic",
    line: "const client = new Anthropic({ middleware: [reminders(session)] });",
  }),
  advice("openai", {
    title: "OpenAI SDK",
    entry: "openai",
    line: "const client = new OpenAI({ fetch: reminders(session) });",
  }),
  advice("@google/genai", {
    title: "Google Gen AI SDK",
    entry: "google-genai",
    line: "const client = new GoogleGenAI({ apiKey, httpOptions: { fetch: reminders(session) } });",
  }),
  advice("@openai/agents", {
    title: "OpenAI Agents SDK",
    entry: "openai-agents",
    guide: "frameworks",
    line: "const runner = new Runner({ callModelInputFilter: reminders(session) });",
  }),
  advice("langchain", {
    title: "LangChain",
    entry: "langchain",
    guide: "frameworks",
    line: "const agent = createAgent({ model, tools, middleware: [createMiddleware(reminders(session))] });",
  }),
  advice("@mastra/core", {
    title: "Mastra",
    entry: "mastra",
    guide: "frameworks",
    line: "const agent = new Agent({ ...yours, inputProcessors: [reminders(session)] });",
  }),
  advice("@anthropic-ai/claude-agent-sdk", {
    title: "Claude Agent SDK",
    entry: "claude-agent-sdk",
    guide: "frameworks",
    // Claude Code sends some reminders itself.
    profile: "claude-code",
    line: "const answers = query({ prompt, options: { cwd: process.cwd(), hooks: reminders(session) } });",
  }),
];

export const pythonAdvice: readonly Advice[] = [
  ["anthropic", "Anthropic's Python SDK", "anthropic-messages"],
  ["openai", "OpenAI's Python SDK", "openai-responses"],
].map(([name = "", title = "", dialect = ""]) => ({
  package: name,
  title,
  guide: "docs/guide/any-language.md",
  lines: [
    "import json, subprocess",
    `turn = json.dumps({"dialect": "${dialect}", "body": request})`,
    'out = subprocess.run(["sotto", "turn", "--session", session], input=turn, capture_output=True, text=True)',
    'request = json.loads(out.stdout)["request"] if out.returncode == 0 else request',
  ],
}));

interface Integration {
  title: string;
  /** The import is `sotto/<entry>`. */
  entry: string;
  /** Name of its guide. Default: the entry. */
  guide?: string;
  /** Profile of the agent, if Sotto has one. */
  profile?: string;
  line: string;
}

function advice(name: string, { title, entry, guide = entry, profile, line }: Integration): Advice {
  const known =
    profile === undefined
      ? { name: "", option: "" }
      : {
          name: ", profiles",
          option: `, profile: profiles["${profile}"]`,
        };
  const lines = [
    `import { createSession${known.name} } from "sotto";`,
    `import { reminders } from "sotto/${entry}";`,
    `const session = createSession({ cwd: process.cwd(), agent: { kind: "main" }${known.option} });`,
    line,
  ];
  return { package: name, title, guide: `docs/guide/${guide}.md`, lines };
}
