// Which skills there are for an agent in a directory: the user's and the project's.

import type { SessionOptions } from "./core/options.ts";
import { absolutePath } from "./core/path.ts";
import { nodePlatform } from "./node-platform.ts";
import { createDesk } from "./sources/files/desk.ts";
import type { FoundSkills } from "./sources/skills/skills.ts";
import { userPlaces } from "./user-places.ts";

export type SkillsForOptions = Pick<SessionOptions, "cwd" | "home" | "permissions" | "instructions">;

export async function skillsFor(options: SkillsForOptions): Promise<FoundSkills> {
  const { cwd: given, home, permissions, instructions } = options;
  const cwd = absolutePath(given, process.cwd());
  const places = userPlaces(home);
  const { reader, takes } = createDesk({ cwd, permissions, instructions, ...places });
  const { findSkills } = await import("./sources/skills/skills.ts");
  return findSkills({ cwd, ...places, reader: await reader(), work: nodePlatform.work, takes });
}
