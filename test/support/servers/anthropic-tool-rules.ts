// What Anthropic demands of tool calls and their results: unique, paired, next to each other, results first.
import type { Block, Placed, Turn } from "./anthropic-turns.ts";

type ToolRequest = {
  tools?: { name?: string }[];
  tool_choice?: { type: string; name?: string };
};

export function toolViolations(turns: readonly Turn[]): string[] {
  return [
    ...uniqueViolations(turns),
    ...turns.flatMap((turn, index) => callViolations(turn, turns[index + 1])),
    ...turns.flatMap((turn, index) => resultViolations(turn, turns[index - 1])),
    ...turns.flatMap(serverResultViolations),
  ];
}

export function toolChoiceViolations({ tools = [], tool_choice: choice }: ToolRequest): string[] {
  const names = tools.map(({ name }) => name);
  const found: string[] = [];
  if (new Set(names).size < names.length) found.push("tools: Tool names must be unique.");
  if (choice && tools.length === 0) found.push("tool_choice: may only be specified while providing tools.");
  else if (choice?.type === "tool" && !names.includes(choice.name)) {
    found.push(`tool_choice: Tool '${choice.name}' not found in provided tools`);
  }
  return found;
}

function uniqueViolations(turns: readonly Turn[]): string[] {
  const seen = new Set<unknown>();
  return turns.flatMap(({ blocks }) =>
    blocks.flatMap(({ block, path }) => {
      if (!isCall(block) && block.type !== "server_tool_use") return [];
      if (seen.has(block.id)) return [`${path}: \`tool_use\` ids must be unique`];
      seen.add(block.id);
      return [];
    }),
  );
}

function callViolations(turn: Turn, next: Turn | undefined): string[] {
  const calls = turn.blocks.filter(({ block }) => isCall(block));
  if (turn.role !== "assistant" || calls.length === 0) return [];
  const answered = new Set(
    next?.role === "user" ? leadingResults(next).map(({ block }) => block.tool_use_id) : [],
  );
  // A recorded request shows it: text behind a call parts the call from its result, although both are there.
  const parted = turn.blocks
    .slice(turn.blocks.findIndex(({ block }) => isCall(block)))
    .some(({ block }) => block.type === "text");
  const open = calls.map(({ block }) => block.id).filter((id) => parted || !answered.has(id));
  if (open.length === 0) return [];
  return [
    `${turn.path}: \`tool_use\` ids were found without \`tool_result\` blocks immediately after: ${open.join(", ")}. Each \`tool_use\` block must have a corresponding \`tool_result\` block in the next message.`,
  ];
}

function resultViolations(turn: Turn, previous: Turn | undefined): string[] {
  if (turn.role !== "user") return [];
  const results = turn.blocks.filter(({ block }) => isResult(block));
  const called = new Set(previous?.blocks.filter(({ block }) => isCall(block)).map(({ block }) => block.id));
  const answered = new Set<unknown>();
  return results.flatMap(({ block, path }) => {
    const id = block.tool_use_id;
    if (!called.has(id)) {
      return [
        `${path}: unexpected \`tool_use_id\` found in \`tool_result\` blocks: ${id}. Each \`tool_result\` block must have a corresponding \`tool_use\` block in the previous message.`,
      ];
    }
    if (answered.has(id)) {
      return [
        `${path}: each tool_use must have a single result. Found multiple \`tool_result\` blocks with id: ${id}`,
      ];
    }
    answered.add(id);
    return [];
  });
}

function serverResultViolations({ blocks }: Turn): string[] {
  const called = new Set<unknown>();
  return blocks.flatMap(({ block, path }) => {
    if (block.type === "server_tool_use") called.add(block.id);
    if (!/._tool_result$/.test(block.type) || called.has(block.tool_use_id)) return [];
    return [
      `${path}: unexpected \`tool_use_id\` found in \`${block.type}\` blocks: ${block.tool_use_id}. Each \`${block.type}\` block must have a corresponding \`server_tool_use\` block before it.`,
    ];
  });
}

function leadingResults({ blocks }: Turn): Placed[] {
  const end = blocks.findIndex(({ block }) => !isResult(block));
  return end === -1 ? blocks : blocks.slice(0, end);
}

function isCall({ type }: Block): boolean {
  return type === "tool_use";
}

function isResult({ type }: Block): boolean {
  return type === "tool_result";
}
