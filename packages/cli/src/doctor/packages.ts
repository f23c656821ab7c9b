// Optional packages: what reads PDFs and scales images, where they are installed.

import { createRequire } from "node:module";
import { pathToFileURL } from "node:url";
import { oneLine } from "../../../agent/src/terminal/failure.ts";
import type { Check, Finding } from "./finding.ts";

const PACKAGES = [
  { name: "sharp", without: "large images are named, not shown" },
  { name: "unpdf", without: "PDFs are named, not shown" },
];

export const checkPackages: Check = () => Promise.all(PACKAGES.map(look));

/** From where the library stands: that is who loads them. */
async function look({ name, without }: (typeof PACKAGES)[number]): Promise<Finding> {
  const fix = `npm install ${name}`;
  let path: string;
  try {
    path = createRequire(import.meta.resolve("sotto")).resolve(name);
  } catch {
    return { about: name, status: "warning", words: `not installed: ${without}`, fix };
  }
  try {
    await import(pathToFileURL(path).href);
    return { about: name, status: "ok", words: "installed" };
  } catch (error) {
    const words = `installed, but it does not load: ${oneLine(String(error)).slice(0, 200)}`;
    return { about: name, status: "warning", words, fix };
  }
}
