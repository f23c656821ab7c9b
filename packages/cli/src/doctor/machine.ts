// The Node it runs on: SQLite comes with it.

import process from "node:process";
import type { Check } from "./finding.ts";

// The first with node:sqlite and no flag for it.
const LEAST = [22, 13];

export const checkNode: Check = () => [nodeFinding(process.version)];

export function nodeFinding(version: string) {
  const [major = 0, minor = 0] = version.replace(/^v/u, "").split(".").map(Number);
  const [leastMajor = 0, leastMinor = 0] = LEAST;
  const isEnough = major > leastMajor || (major === leastMajor && minor >= leastMinor);
  const words = `${version}, ${LEAST.join(".")} or later is needed`;
  if (isEnough) return { about: "node", status: "ok" as const, words };
  return { about: "node", status: "problem" as const, words, fix: "install a later Node" };
}
