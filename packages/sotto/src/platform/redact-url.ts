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
  return known.reduce((hidden, secret) => {
    if (secret.length >= SHORTEST) return hidden.replaceAll(secret, HIDDEN);
    const inPlace = hidden.replaceAll(`:${secret}@`, `:${HIDDEN}@`);
    return inPlace.replace(IN_QUERY, (all, name: string, value: string) =>
      value === secret ? `${name}${HIDDEN}` : all,
    );
  }, text);
}

const IN_QUERY = /([?&](?:password|sslpassword)=)([^&#\s]*)/gisu;

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
  const pieces = spelt.split(/[@/?#:]/u).filter((piece) => piece.length >= SHORTEST);
  return [spelt, ...pieces, ...inQuery].flatMap((secret) => [secret, decoded(secret)]);
}

/**
 * A shorter password is only hidden where an address has one: elsewhere it would make other words unreadable. Shorter
 * pieces of one tell nothing.
 */
const SHORTEST = 3;

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
