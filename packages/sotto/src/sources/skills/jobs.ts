// Worker jobs: the YAML of skills.

import { parseDocument } from "yaml";

export interface SkillFields {
  name?: string;
  description?: string;
  problem?: string;
}

/** What can be read of it, and what is wrong with the rest. */
export function readFields({ block }: { block: string }): SkillFields {
  try {
    const document = parseDocument(block, { prettyErrors: false, logLevel: "silent" });
    const [error] = document.errors;
    if (error !== undefined) return { ...lineByLine(block), problem: error.message };
    const root: unknown = document.toJS({ maxAliasCount: 0 });
    if (typeof root !== "object" || root === null || Array.isArray(root))
      return { problem: "it is not a map" };
    const { name, description } = root as Record<string, unknown>;
    return { ...text("name", name), ...text("description", description) };
  } catch (error) {
    return { ...lineByLine(block), problem: error instanceof Error ? error.message : String(error) };
  }
}

/** `description: Use this when: …` is not YAML, but people write it. */
function lineByLine(block: string): SkillFields {
  const of = (key: string) => new RegExp(`^${key}:[ \\t]*(\\S.*)$`, "mu").exec(block)?.[1]?.trim();
  return { ...text("name", of("name")), ...text("description", of("description")) };
}

function text(key: "name" | "description", value: unknown): SkillFields {
  return typeof value === "string" || typeof value === "number" ? { [key]: String(value) } : {};
}
