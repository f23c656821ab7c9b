// ripgrep: what the reference agent searches with, where it is installed.

import { findRipgrep } from "../../../agent/src/tools/search/ripgrep.ts";
import type { Check } from "./finding.ts";

export const checkRipgrep: Check = () => {
  const path = findRipgrep();
  if (path !== undefined) return [{ about: "ripgrep", status: "ok", words: path }];
  const words = "not installed: `sotto run` searches by itself, more slowly";
  return [{ about: "ripgrep", status: "warning", words, fix: "install ripgrep (rg)" }];
};
