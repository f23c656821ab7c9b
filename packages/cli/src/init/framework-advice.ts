// For each library that talks to models: the lines that bring Sotto in, and the page that says more. Data, nothing is run.

export interface Advice {
  /** The package by which it is known. */
  package: string;
  title: string;
  guide: string;
  lines: readonly string[];
}

const SESSION = 'const session = createSession({ cwd: process.cwd(), agent: { kind: "main" } });';
const COMMIT = "await turn.commit();";

export const javascriptAdvice: readonly Advice[] = [
  {
    package: "ai",
    title: "AI SDK",
    guide: "docs/guide/ai-sdk.md",
    lines: [
      'import { aiSdk, createSession } from "sotto";',
      SESSION,
      "const middleware = {",
      "  transformParams: async ({ params }) => {",
      "    const turn = await session.turn({ dialect: aiSdk, body: { messages: params.prompt } });",
      "    return { ...params, prompt: turn.body.messages };",
      "  },",
      "};",
      "const model = wrapLanguageModel({ model: yours, middleware });",
    ],
  },
  {
    package: "@anthropic-ai/sdk",
    title: "Anthropic SDK",
    guide: "docs/guide/anthropic.md",
    lines: direct("anthropicMessages", "client.messages.create(turn.body)"),
  },
  {
    package: "openai",
    title: "OpenAI SDK",
    guide: "docs/guide/openai.md",
    lines: direct("openaiResponses", "client.responses.create(turn.body)"),
  },
  {
    package: "@google/genai",
    title: "Google Gen AI SDK",
    guide: "docs/guide/google-genai.md",
    lines: [
      'import { createSession, gemini } from "sotto";',
      SESSION,
      "const turn = await session.turn({ dialect: gemini, body: { contents } });",
      "const answer = await client.models.generateContent({ model, contents: turn.body.contents });",
      COMMIT,
    ],
  },
  ...[
    ["@openai/agents", "OpenAI Agents SDK"],
    ["langchain", "LangChain"],
    ["@mastra/core", "Mastra"],
    ["@anthropic-ai/claude-agent-sdk", "Claude Agent SDK"],
  ].map(
    ([name = "", title = ""]): Advice => ({
      package: name,
      title,
      guide: "docs/guide/frameworks.md",
      lines: ['import { createSession } from "sotto";', SESSION],
    }),
  ),
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

function direct(dialect: string, call: string): string[] {
  return [
    `import { ${[dialect, "createSession"].sort().join(", ")} } from "sotto";`,
    SESSION,
    `const turn = await session.turn({ dialect: ${dialect}, body });`,
    `const answer = await ${call};`,
    COMMIT,
  ];
}
