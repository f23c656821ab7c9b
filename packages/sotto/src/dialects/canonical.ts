// JSON with sorted keys for values that callers built, with limits on depth and size, whatever they refer back to.

type Fields = Readonly<Record<string, unknown>>;

// Deeper than any tool's input; what is below is left out, so that no input can exhaust the stack.
const DEEPEST = 100;
// More than any real block has. A few objects that refer to each other twice would be written out without end.
const MOST_VALUES = 200_000;

/** Omits what JSON would drop. Throws if a value could never be sent. */
export function canonical(value: unknown): string {
  let values = 0;
  // The objects around the one that is being written: a few, in real requests.
  const open: object[] = [];

  function write(part: unknown): string {
    if (++values > MOST_VALUES)
      throw new Error(`the request has more than ${MOST_VALUES} values in one block`);
    if (typeof part === "bigint") return String(part);
    if (typeof part !== "object" || part === null) return JSON.stringify(part) ?? "null";
    const bytes = bytesOf(part);
    if (bytes !== undefined) return outline(bytes);
    if (open.includes(part))
      throw new Error("the request has an object that contains itself, which JSON cannot represent");
    if (open.length === DEEPEST) return '"…"';
    open.push(part);
    const text = Array.isArray(part) ? `[${listed(part.map(write))}]` : `{${pairs(part as Fields)}}`;
    open.pop();
    return text;
  }

  function pairs(fields: Fields): string {
    const written: string[] = [];
    for (const key of Object.keys(fields).sort()) {
      const value = fields[key];
      if (value !== undefined)
        written.push(`${JSON.stringify(key)}:${isLong(value) ? quoted(fields, value) : write(value)}`);
    }
    return listed(written);
  }

  return write(value);
}

function bytesOf(value: object): Uint8Array | undefined {
  if (value instanceof ArrayBuffer) return new Uint8Array(value);
  return ArrayBuffer.isView(value)
    ? new Uint8Array(value.buffer, value.byteOffset, value.byteLength)
    : undefined;
}

/** Bytes by their length and ends, so that an image is not read in every turn. */
function outline(bytes: Uint8Array): string {
  const ends = [...bytes.subarray(0, 32), ...bytes.subarray(-32)];
  return JSON.stringify({ bytes: bytes.length, ends });
}

// Such a text, an image as a rule, is quoted once, and not copied with each object around it.
const LONG = 100_000;

export function isLong(value: unknown): value is string {
  return typeof value === "string" && value.length > LONG;
}

function listed(texts: readonly string[]): string {
  return texts.some(isLong) ? texts.reduce((all, text) => `${all},${text}`) : texts.join(",");
}

/** By the object with the text, which a host may have changed. */
const known = new WeakMap<object, { text: string; json: string }>();

function quoted(owner: object, text: string): string {
  const before = known.get(owner);
  if (before?.text === text) return before.json;
  const json = JSON.stringify(text);
  known.set(owner, { text, json });
  return json;
}
