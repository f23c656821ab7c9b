// Entry of dist/hook.cjs: `sotto hook` bundled into one file for a fast start, loaded by bin/sotto.js.

import process from "node:process";
import { hook } from "./hook.ts";

// Nobody sees a stack, and most files that are looked for are not there.
Error.stackTraceLimit = 0;
void hook(process.argv.slice(3));
