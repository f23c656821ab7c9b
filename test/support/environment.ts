// Variables of this process for one test: the next one does not see them.

import process from "node:process";
import { onTestFinished } from "vitest";

export function setEnvironment(variables: Readonly<Record<string, string>>): void {
  const before = { ...process.env };
  Object.assign(process.env, variables);
  onTestFinished(() => {
    for (const name of Object.keys(variables))
      if (before[name] === undefined) delete process.env[name];
      else process.env[name] = before[name];
  });
}
