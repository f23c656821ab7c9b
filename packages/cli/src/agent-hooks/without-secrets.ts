// What of an event may wait in a file: as in the log, no secret of a command and no content of a file that looks secret.

import type { StoredEvent } from "sotto/extend";
import { looksSecret, redactText } from "sotto/internal";

// Names and places, which later calls look for as they are.
const EXACT = /(?:^|_)(?:id|name|path|cwd|event|source|type)$|[a-z](?:Id|Name|Path)$/u;

/** `text`: the event, from stdin. `record`: what there is to record of it. */
export function withoutSecrets(
  text: string,
  record: readonly Pick<StoredEvent, "type">[],
  environment: Readonly<Record<string, string | undefined>>,
): string {
  const paths = record.flatMap((event) => ("path" in event ? [String(event.path)] : []));
  if (paths.some((path) => looksSecret(path))) return changed(text, () => "");
  // The content of a file is what others' changes are told by, so it stays as it is.
  const isFile = paths.length > 0 && !record.some(({ type }) => type === "command_ran");
  return isFile ? text : changed(text, redactText(environment));
}

function changed(text: string, change: (value: string) => string): string {
  const event: unknown = JSON.parse(text.startsWith("\uFEFF") ? text.slice(1) : text);
  return JSON.stringify(event, (key, value: unknown) =>
    typeof value === "string" && !EXACT.test(key) ? change(value) : value,
  );
}
