// The fast start of `sotto hook`: one file with all it needs, loaded by bin/sotto.js.

import process from "node:process";
import { hook } from "./hook.ts";

void hook(process.argv.slice(3));
