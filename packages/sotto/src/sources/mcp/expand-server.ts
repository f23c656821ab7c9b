// A server's settings with `${VAR}` and `${VAR:-default}` filled in from the environment.

import { isRemote, type McpServer } from "./server-config.ts";
import { isSecret } from "../redact-of-hooks.ts";
import { SHORTEST_SECRET } from "../redact.ts";

export type Environment = Readonly<Record<string, string | undefined>>;

// What such variables and headers hold is never shown, whoever says it.
const SECRET = /token|key|secret|pass|auth|cred|cookie|session/iu;

/**
 * What it says and which of it is secret, or which variable is missing: a server is not started with half of its
 * settings.
 */
export function expandServer(
  server: McpServer,
  environment: Environment,
): { server: McpServer; secrets: string[] } | { missing: string } {
  const missing = new Set<string>();
  const used = new Set<string>();
  const fill = (text: string) => expand(text, { environment, missing, used });
  const all = (texts: Readonly<Record<string, string>>) =>
    Object.fromEntries(Object.entries(texts).map(([key, text]) => [key, fill(text)]));
  const filled: McpServer = isRemote(server)
    ? {
        ...server,
        url: fill(server.url),
        ...(server.headers === undefined ? {} : { headers: all(server.headers) }),
      }
    : {
        ...server,
        command: fill(server.command),
        ...(server.args === undefined ? {} : { args: server.args.map(fill) }),
        ...(server.env === undefined ? {} : { env: all(server.env) }),
        ...(server.cwd === undefined ? {} : { cwd: fill(server.cwd) }),
      };
  if (missing.size === 0) return { server: filled, secrets: secretsIn(filled, [...used]) };
  const names = [...missing];
  return { missing: `${names.join(", ")} ${names.length === 1 ? "is" : "are"} not set in the environment` };
}

function secretsIn(server: McpServer, used: readonly string[]): string[] {
  const named = Object.entries((isRemote(server) ? undefined : server.env) ?? {}).flatMap(([name, value]) =>
    SECRET.test(name) || isSecret(name, value) ? [value] : [],
  );
  const headers = Object.values((isRemote(server) ? server.headers : undefined) ?? {});
  // `Bearer abc`: the token alone is a secret as well.
  const parts = headers.flatMap((value) => [value, ...value.split(/[\s,;=]+/u)]);
  return [...new Set([...named, ...parts, ...used])]
    .filter((text) => text.length >= SHORTEST_SECRET && !/^bearer$/iu.test(text))
    .sort((a, b) => b.length - a.length);
}

interface Filling {
  environment: Environment;
  missing: Set<string>;
  /** Values of variables with telling names. */
  used: Set<string>;
}

function expand(text: string, { environment, missing, used }: Filling): string {
  return text.replace(/\$\{([A-Za-z_]\w*)(?::-([^}]*))?\}/gu, (_all, name: string, otherwise?: string) => {
    const value = environment[name];
    if (value !== undefined && (SECRET.test(name) || isSecret(name, value))) used.add(value);
    // As in a shell: `:-` also stands in for what is empty.
    if (otherwise !== undefined) return value === undefined || value === "" ? otherwise : value;
    if (value === undefined) missing.add(name);
    return value ?? "";
  });
}
