// The terminal: what `sotto run` has to draw on.

import process from "node:process";
import { createStyle } from "../../../agent/src/terminal/style.ts";
import type { Check } from "./finding.ts";

export const checkTerminal: Check = () => {
  const { stdout, env } = process;
  if (stdout.isTTY !== true)
    return [{ about: "terminal", status: "ok", words: "none: plain text, no questions are asked" }];
  if (env.TERM === "dumb") {
    const words = "TERM=dumb: lines cannot be drawn over";
    return [{ about: "terminal", status: "warning", words, fix: "set TERM, e.g. to xterm-256color" }];
  }
  const colours = createStyle().bold("x") === "x" ? "no colours (NO_COLOR)" : "colours";
  return [{ about: "terminal", status: "ok", words: `${stdout.columns} columns, ${colours}` }];
};
