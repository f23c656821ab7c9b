// Which skills there are for an agent in a directory: the user's and the project's.

import type { SessionOptions } from "./core/options.ts";
import { absolutePath } from "./core/path.ts";
import { nodePlatform } from "./node-platform.ts";
import { createDesk } from "./sources/files/desk.ts";
import type { FoundSkills } from "./sources/skills/skills.ts";
import { userPlaces } from "./user-places.ts";

export type SkillsForOptions = Pick<SessionOptions, "cwd" | "home" | "permissions">;

export async function skillsFor({ cwd: given, home, permissions }: SkillsForOptions): Promise<FoundSkills> {
  const cwd = absolutePath(given, process.cwd());
  const places = userPlaces(home);
  const reader = await createDesk({ cwd, permissions, ...places }).reader();
  const { findSkills } = await import("./sources/skills/skills.ts");
  return findSkills({ cwd, ...places, reader, work: nodePlatform.work });
}
