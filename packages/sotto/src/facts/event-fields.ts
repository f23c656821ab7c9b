// What events are made of: the pieces their schemas share.

import * as v from "valibot";
import { sizeProblem } from "../platform/size.ts";

export const name = v.pipe(v.string(), v.nonEmpty("must not be empty"));
export const line = v.pipe(v.number(), v.integer(), v.minValue(1));
export const count = v.pipe(v.number(), v.integer(), v.minValue(0));
export const timestamp = v.pipe(v.string(), v.isoTimestamp("must be an ISO 8601 timestamp"));
export const amount = v.pipe(v.number(), v.finite(), v.minValue(0));
/** Of any shape, but such that it can be kept. */
export function plain<T>() {
  return v.check<T, (issue: v.CheckIssue<T>) => string>(
    (value) => sizeProblem(value) === undefined,
    ({ input }) => `must be plain data, it is ${sizeProblem(input)}`,
  );
}

/** As the log gives plain data back: dates as texts, and no number that JSON cannot write. */
export function asStored<T>() {
  return v.transform<T, T>((value) => JSON.parse(JSON.stringify(value)));
}

// What goes into a blob is no part of the entry.
const MOST_BLOB_CHARACTERS = 64_000_000;
/** Kept beside the log, as a blob. */
export const blobText = v.pipe(
  v.string(),
  v.maxLength(MOST_BLOB_CHARACTERS, `must have ${MOST_BLOB_CHARACTERS} characters at the most`),
);
export const textEdit = v.strictObject({
  old: v.optional(blobText),
  new: blobText,
  all: v.optional(v.boolean()),
  lines: v.optional(v.literal(true)),
  behind: v.optional(v.literal(true)),
  after: v.optional(v.string()),
  at: v.optional(count),
});
/** A number that JSON can write. */
export const finite = v.pipe(v.number(), v.finite());
export const word = v.union([v.string(), finite]);
/** As it is kept: the file that has all of a text, where that is too long to be sent. The session writes it. */
export const wholeIn = v.optional(name);

export const todoItem = v.strictObject({
  content: v.string(),
  status: v.picklist(["pending", "in_progress", "completed"]),
  activeForm: v.optional(v.string()),
});

export const diagnostic = v.strictObject({
  message: v.string(),
  severity: v.picklist(["Error", "Warning", "Info", "Hint"]),
  line,
  source: v.optional(v.string()),
  code: v.optional(word),
});

export const mediaType = v.picklist(["image/png", "image/jpeg", "image/gif", "image/webp"]);
export const image = { type: v.literal("image"), mediaType };
const givenBlocks = [
  v.strictObject({ type: v.literal("text"), text: v.string() }),
  v.strictObject({ ...image, data: v.pipe(blobText, v.base64()) }),
] as const;
const BLOCK_EXPECTED = 'expected {type: "text", text} or {type: "image", mediaType, data} with base64 data';
export const promptGiven = promptOf(v.union([...givenBlocks], BLOCK_EXPECTED));
/** The session puts image data into blobs before it stores the event. */
export const prompt = promptOf(
  v.union([...givenBlocks, v.strictObject({ ...image, blob: name })], BLOCK_EXPECTED),
);

function promptOf<Block extends v.GenericSchema>(block: Block) {
  return v.union([v.string(), v.pipe(v.array(block), v.minLength(1))], (issue) =>
    Array.isArray(issue.input)
      ? 'expected a text or a list of blocks, {type: "text", text} or {type: "image", mediaType, data}'
      : "expected a text or a list of blocks",
  );
}

const selectionFields = { filename: name, lineStart: line, lineEnd: line, content: v.string() };
export const selectionGiven = v.strictObject(selectionFields);
/** `checked`: a source found that the file may be shown, so its content is stored. */
export const selection = v.strictObject({ ...selectionFields, checked: v.optional(v.boolean()) });

export const taskType = v.picklist(["shell", "agent", "remote_session"]);

/** A state of a file. */
export const fileVersion = v.strictObject({
  realPath: name,
  hash: name,
  kind: v.picklist(["text", "image", "binary", "secret"]),
  /** All of its text, where that is kept. */
  blob: v.optional(name),
  /** How the disk had it when it was read; absent where that was another content. */
  stat: v.optional(
    v.strictObject({ size: finite, mtimeMs: finite, ctimeMs: finite, ino: finite, dev: finite }),
  ),
  /** It was read right after it was written: an equal stat proves nothing then. */
  racy: v.optional(v.boolean()),
  /** Of a text, how many of its first lines the model was shown; all of it unless said. */
  shownLines: v.optional(line),
});

/** A change of a file that was recorded before it was looked for: what it left, if the file is still there, and who made it. */
export const fileStep = v.strictObject({
  version: v.optional(fileVersion),
  cause: v.optional(v.string()),
  unsure: v.optional(v.literal(true)),
});

export const lines = { lineStart: v.optional(line), lineEnd: v.optional(line) };
export const attachedContent = v.variant("type", [
  v.strictObject({
    type: v.literal("text"),
    filePath: name,
    content: v.string(),
    numLines: count,
    startLine: count,
    totalLines: count,
  }),
  v.strictObject({ ...image, blob: name }),
  v.strictObject({
    type: v.literal("notebook"),
    cells: v.array(v.strictObject({ type: v.string(), source: v.string(), outputs: v.array(v.string()) })),
  }),
  v.strictObject({
    type: v.literal("pdf"),
    pages: v.array(v.strictObject({ page: line, text: v.string() })),
    totalPages: count,
  }),
  v.strictObject({ type: v.literal("directory"), content: v.string() }),
  /** Not shown: too large by itself, too slow to be made ready, or there was no room left for it. */
  v.strictObject({
    type: v.literal("reference"),
    why: v.string(),
    tooLarge: v.optional(v.boolean()),
    slow: v.optional(v.literal(true)),
  }),
  /** Read in full before, unchanged, still in view. */
  v.strictObject({ type: v.literal("already_read") }),
]);

/** As MCP servers give it; whatever else comes with it is left out. */
export const resourceContent = v.object({
  text: v.optional(v.string()),
  // Base64, in whatever form a server writes it: a text beside a bad one must not be lost.
  blob: v.optional(blobText),
  mimeType: v.optional(v.string()),
  // As it is kept: the session puts the bytes into a blob before the event is appended.
  stored: v.optional(name),
});

/** A summary of an earlier session: its first lines. */
export const pastSession = v.strictObject({
  fullPath: name,
  content: v.string(),
  /** ISO 8601. */
  lastModified: v.pipe(v.string(), v.isoTimestamp("must be an ISO 8601 timestamp")),
  remainingLines: count,
});

export const memoryFile = v.strictObject({
  path: name,
  key: name,
  kind: v.picklist(["managed", "user", "project", "local"]),
  reason: v.string(),
  for: v.string(),
  /** Other paths that it was found for. */
  also: v.optional(v.array(v.string())),
  hash: name,
  content: v.string(),
  truncated: v.optional(v.boolean()),
});

/** As kept in the log: image data is a blob. */
export type StoredBlock = { type: "text"; text: string } | { type: "image"; mediaType: string; blob: string };

// How an event is defined.

/** Who may record an event. A source may record what a host may; the engine may record everything. */
export type RecordedBy = "host" | "source" | "engine";
/** What a rewind does to an event: one of the conversation is undone, one that happened in the world stays. */
export type OnRewind = "undone" | "stays";

/** A field that Sotto fills in or changes before the event is stored. */
export interface StoredField<Stored, Given> {
  stored: Stored;
  /** The field as a host gives it; undefined if a host cannot give it. */
  given: Given;
}

type Field = v.GenericSchema | StoredField<v.GenericSchema, v.GenericSchema | undefined>;
type StoredFields<F> = {
  [Name in keyof F]: F[Name] extends StoredField<infer Stored, unknown> ? Stored : F[Name];
};
type GivenFields<F> = {
  [Name in keyof F as F[Name] extends StoredField<unknown, undefined>
    ? never
    : Name]: F[Name] extends StoredField<unknown, infer Given> ? Given : F[Name];
};
type EventSchema<T extends string, Fields> = v.StrictObjectSchema<
  { type: v.LiteralSchema<T, undefined> } & { [Name in keyof Fields]: Fields[Name] & v.GenericSchema },
  undefined
>;

/** The definition of an event. */
export interface EventDefinition<T extends string, By extends RecordedBy, F> {
  readonly by: By;
  readonly onRewind: OnRewind;
  /** As it is recorded by hosts. */
  readonly given: EventSchema<T, GivenFields<F>>;
  readonly stored: EventSchema<T, StoredFields<F>>;
}

/** Its schemas are made when they are first needed: most sessions have a few kinds only. */
export function event<T extends string, By extends RecordedBy, F extends Record<string, Field>>(
  type: T,
  by: By,
  onRewind: OnRewind,
  fields: () => F,
): EventDefinition<T, By, F> {
  const schema = (formOf: (field: Field) => v.GenericSchema | undefined): unknown => {
    const entries: Record<string, v.GenericSchema> = { type: v.literal(type) };
    for (const [name, field] of Object.entries(fields())) {
      const form = formOf(field);
      if (form !== undefined) entries[name] = form;
    }
    return v.strictObject(entries);
  };
  let given: EventSchema<T, GivenFields<F>> | undefined;
  let stored: EventSchema<T, StoredFields<F>> | undefined;
  return {
    by,
    onRewind,
    get given() {
      given ??= schema((field) => ("stored" in field ? field.given : field)) as EventSchema<
        T,
        GivenFields<F>
      >;
      return given;
    },
    get stored() {
      stored ??= schema((field) => ("stored" in field ? field.stored : field)) as EventSchema<
        T,
        StoredFields<F>
      >;
      return stored;
    },
  };
}

/** A field that a host cannot give. */
export function onlyStored<S extends v.GenericSchema>(stored: S): StoredField<S, undefined> {
  return { stored, given: undefined };
}
