// The known agents, by name.

import { claudeCode } from "./claude-code.ts";
import { cline } from "./cline.ts";
import { codex } from "./codex.ts";
import { geminiCli } from "./gemini-cli.ts";
import { goose } from "./goose.ts";
import { opencode } from "./opencode.ts";
import { pi } from "./pi.ts";
import type { Profile } from "./profile.ts";
import { qwenCode } from "./qwen-code.ts";

/** The built-in profiles, by name. */
export const profiles = {
  "claude-code": claudeCode,
  codex,
  "gemini-cli": geminiCli,
  "qwen-code": qwenCode,
  opencode,
  pi,
  cline,
  goose,
} as const satisfies Readonly<Record<string, Profile>>;

/** The name of a built-in profile. */
export type ProfileName = keyof typeof profiles;
