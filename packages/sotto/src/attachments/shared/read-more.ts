// Where the rest of a text is that was cut, in the words of the agent's tools.

import type { ToolNames } from "../../facts/agent.ts";

interface Context {
  tools: ToolNames;
}

export function restOfFile(path: string, { tools }: Context): string {
  const read = tools.tool("Read");
  return read === undefined ? `${path} has the rest` : `use ${read} on ${path} for the rest`;
}

/** `whose`: of which output, when the agent lacks the tool that shows it. */
export function restOfOutput(
  { tool, id, whose }: { tool: string; id: string; whose: string },
  { tools }: Context,
): string {
  const output = tools.tool(tool);
  return output === undefined ? `the rest is in the ${whose}'s output` : `${output} with ${id} has the rest`;
}
