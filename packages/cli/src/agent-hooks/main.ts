// Entry of dist/hook.cjs: `sotto hook` bundled into one file for a fast start, loaded by bin/sotto.js.

import process from "node:process";
import { hook } from "./hook.ts";

void hook(process.argv.slice(3));
