// Which skills there are for an agent in a directory: the user's and the project's.

import type { SessionOptions } from "./engine/options.ts";
import { absolutePath } from "./platform/paths.ts";
import { nodePlatform } from "./platform/node-platform.ts";
import { createDesk } from "./sources/files/file-access.ts";
import type { FoundSkills } from "./sources/skills/skills.ts";
import { userPlaces } from "./platform/user-directories.ts";

export type SkillsForOptions = Pick<SessionOptions, "cwd" | "home" | "permissions" | "instructions">;

export async function skillsFor(options: SkillsForOptions): Promise<FoundSkills> {
  const { cwd: given, home, permissions, instructions } = options;
  const cwd = absolutePath(given, process.cwd());
  const places = userPlaces(home);
  const { reader, takes } = createDesk({ cwd, permissions, instructions, ...places });
  const { findSkills } = await import("./sources/skills/skills.ts");
  return findSkills({ cwd, ...places, reader: await reader(), work: nodePlatform.work, takes });
}
