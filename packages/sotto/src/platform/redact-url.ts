// Addresses of databases as people may see them: without the password, however it is spelt.

const HIDDEN = "***";

/** Without white space, a byte order mark and quotes around it, as files of environment variables leave them. */
export function trimmedAddress(text: string): string {
  const trimmed = text.trim();
  const [, , inner] = /^(["'])(.*)\1$/su.exec(trimmed) ?? [];
  return inner === undefined ? trimmed : trimmedAddress(inner);
}

/** Whether a text may be meant for a database, and so have a password: a URL, half a URL, or libpq's keywords. */
export function isLikeAddress(text: string): boolean {
  return /:\/\/|postgres(?:ql)?\/\/|password\s*=|^\s*(?:host|hostaddr|port|dbname|user|service)\s*=/iu.test(
    text,
  );
}

/** An address without its password. */
export function redactedUrl(url: string): string {
  return hide(url, passwordsIn(url));
}

/** Removes passwords from texts: that of an address, and others that are known. */
export function createRedaction(url: string, others: readonly string[]): (text: string) => string {
  const secrets = [...passwordsIn(url), ...others];
  return (text) => hide(text, secrets);
}

function hide(text: string, secrets: readonly string[]): string {
  const known = [...new Set(secrets)].filter((secret) => secret !== "").sort((a, b) => b.length - a.length);
  return known.reduce((hidden, secret) => hidden.replaceAll(secret, HIDDEN), text);
}

/**
 * Everything from the colon after the user's name to the last @. A password with an @, / or # that is not escaped leads
 * parsers astray: then its pieces turn up in their errors as host, port or database.
 */
function passwordsIn(given: string): string[] {
  const url = trimmedAddress(given);
  const [, spelt = ""] = /^[a-z][a-z0-9+.-]*:\/*[^:@/?#]*:(.*)@/isu.exec(url) ?? [];
  const inQuery = [...url.matchAll(/[?&](?:password|sslpassword)=([^&#]*)/gisu)].map(
    ([, value = ""]) => value,
  );
  const pieces = spelt.split(/[@/?#:]/u).filter((piece) => piece.length >= SHORTEST_PIECE);
  return [spelt, ...pieces, ...inQuery].flatMap((secret) => [secret, decoded(secret)]);
}

/** Shorter pieces of a password tell nothing, and would make other words unreadable. */
const SHORTEST_PIECE = 3;

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
