// The program `sotto`.

import process from "node:process";
import { version } from "./version.ts";

process.exitCode = await main(process.argv.slice(2));

async function main(args: string[]): Promise<number> {
  if (args.length === 1 && (args[0] === "--version" || args[0] === "-V")) {
    const { writeLine } = await import("./output/write.ts");
    return writeLine(version()).then(
      () => 0,
      () => 1,
    );
  }
  // A coding agent waits for it, so no argument may make it fail.
  if (args[0] === "hook" && !args.some((one) => one === "--help" || one === "-h")) {
    const { hook } = await import("./agent-hooks/hook.ts");
    return hook(args.slice(1));
  }
  const { runProgram } = await import("./program.ts");
  return runProgram(args, version());
}
