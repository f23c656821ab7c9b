// Applies one function to every text in a tool result; what it leaves alone stays the same object.

type Change = (text: string) => string;

/** Deeper than anything real: from there on a value becomes its JSON, as text. */
const DEEPEST = 200;

/** The list with some items replaced, or the same list if none was. */
export function mapItems<Item>(items: readonly Item[], replace: (item: Item) => Item): readonly Item[] {
  let changed: Item[] | undefined;
  for (const [index, item] of items.entries()) {
    const replaced = replace(item);
    if (replaced === item) continue;
    changed ??= [...items];
    changed[index] = replaced;
  }
  return changed ?? items;
}

/** The object with the texts in these fields changed, or the same object if none was. */
export function mapFields<Given extends object>(
  given: Given,
  fields: readonly string[],
  change: Change,
): Given {
  const values = given as Readonly<Record<string, unknown>>;
  const replaced = fields.flatMap((field) => {
    const value = mapTexts(values[field], change);
    return value === values[field] ? [] : [[field, value] as const];
  });
  return replaced.length === 0 ? given : { ...given, ...Object.fromEntries(replaced) };
}

/** A JSON value with all texts changed, including field names. */
export function mapTexts(value: unknown, change: Change): unknown {
  // Each object is visited once, so one that contains itself ends here, too.
  const done = new Map<object, unknown>();
  const map = (one: unknown, depth: number): unknown => {
    if (typeof one === "string") return change(one);
    if (!isObject(one)) return one;
    if (done.has(one)) return done.get(one);
    if (depth > DEEPEST) return change(JSON.stringify(one));
    done.set(one, one);
    const mapped = mapInner(one, depth + 1);
    done.set(one, mapped);
    return mapped;
  };
  // What JSON makes of it is sent.
  const mapInner = (one: object, depth: number): unknown => {
    const written = isBytes(one) ? one : asWritten(one);
    const mapped = isObject(written) ? mapWritten(written, depth) : map(written, depth);
    return mapped === written ? one : mapped;
  };
  const mapWritten = (one: object, depth: number): unknown => {
    if (isBytes(one)) return one;
    if (Array.isArray(one)) return mapItems(joined(one, change), (item) => map(item, depth));
    const entries = Object.entries(one).filter(([, inner]) => typeof inner !== "function");
    const mapped = entries.map(([name, inner]) => [change(name), map(inner, depth)] as const);
    const isSame = mapped.every(
      ([name, inner], at) => name === entries[at]?.[0] && inner === entries[at]?.[1],
    );
    return isSame ? one : Object.fromEntries(mapped);
  };
  return map(value, 0);
}

/** Adjacent texts are one text to a model: if `change` finds something only in the joined text, they are merged. */
function joined(parts: readonly unknown[], change: Change): readonly unknown[] {
  const kept: unknown[] = [];
  for (let from = 0; from < parts.length; ) {
    let to = from;
    while (isText(parts[to])) to += 1;
    const run = parts.slice(from, to).filter(isText);
    const whole = run.map(({ text }) => text).join("");
    const apart = run.map(({ text }) => change(text)).join("");
    if (run.length > 1 && change(whole) !== apart) kept.push({ ...run[0], text: whole });
    else for (const part of run) kept.push(part);
    if (to === from) kept.push(parts[to++]);
    from = to;
  }
  return kept.length === parts.length ? parts : kept;
}

function isText(part: unknown): part is { text: string } {
  if (typeof part !== "object" || part === null) return false;
  const { type, text } = part as { type?: unknown; text?: unknown };
  return typeof text === "string" && (type === undefined || String(type).endsWith("text"));
}

function isObject(value: unknown): value is object {
  return typeof value === "object" && value !== null;
}

function isBytes(one: object): boolean {
  return ArrayBuffer.isView(one) || one instanceof ArrayBuffer;
}

function asWritten(one: object): unknown {
  const { toJSON } = one as { toJSON?: unknown };
  if (typeof toJSON === "function") return toJSON.call(one, "");
  return one instanceof String ? String(one) : one;
}
