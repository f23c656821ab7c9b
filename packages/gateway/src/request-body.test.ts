import { isUtf8 } from "node:buffer";
import { randomBytes } from "node:crypto";
import { once } from "node:events";
import type { IncomingMessage } from "node:http";
import process from "node:process";
import { PassThrough, Readable } from "node:stream";
import zlib from "node:zlib";
import fc from "fast-check";
import { Bytes, createReadBody } from "sotto/internal";
import { describe, expect, test } from "vitest";
import { runs } from "../../../test/support/runs.ts";
import { pauseIfLong, readRequestBody, splicedBytes } from "./request-body.ts";

const MOST = 200_000;

/** A request whose body comes in pieces of these lengths, over and over. */
function requestWith(
  body: Buffer,
  lengths: readonly number[],
  { isAnnounced, ...headers }: { isAnnounced: boolean; "content-encoding"?: string },
): IncomingMessage {
  const pieces: Buffer[] = [];
  for (let from = 0, at = 0; from < body.length; at++) {
    const to = Math.min(body.length, from + (lengths[at % lengths.length] ?? body.length));
    // Each with memory of its own, as Node gives them.
    const piece = Buffer.allocUnsafeSlow(to - from);
    body.copy(piece, 0, from, to);
    pieces.push(piece);
    from = to;
  }
  const length = isAnnounced ? { "content-length": String(body.length) } : {};
  return Object.assign(Readable.from(pieces), {
    headers: { ...headers, ...length },
  }) as unknown as IncomingMessage;
}

function wholeOf(bytes: Bytes | undefined): Buffer {
  return Buffer.concat(bytes?.parts ?? []);
}

describe("a body that is read beside earlier ones", () => {
  // Long enough to be shared; what is changed may be within a character.
  const text = fc.record({
    one: fc.constantFrom("a", "é", "中", "😀", '"\\\\'),
    many: fc.oneof(fc.constant(0), fc.integer({ min: 1, max: 6000 })),
  });
  const step = fc.record({
    keeps: fc.integer({ min: 0, max: 100 }),
    adds: text,
    breaks: fc.constantFrom(false, false, false, true),
    isAnnounced: fc.boolean(),
    lengths: fc.array(fc.integer({ min: 1, max: 9000 }), { minLength: 1, maxLength: 3 }),
  });

  test("has the bytes that came, in parts of whole characters, and little more memory than it needs", async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 2, maxLength: 60 }), async (steps) => {
        let before: Bytes[] = [];
        let last = Buffer.alloc(0);
        for (const { keeps, adds, breaks, isAnnounced, lengths } of steps) {
          const cut = breaks
            ? Math.floor((keeps * last.length) / 100)
            : new Bytes([last]).boundaryAt(Math.floor((keeps * last.length) / 100));
          const body = Buffer.concat([
            last.subarray(0, cut),
            Buffer.from(adds.one.repeat(adds.many)),
          ]).subarray(-MOST);
          const read = await readRequestBody(requestWith(body, lengths, { isAnnounced }), MOST, before);
          expect(wholeOf(read?.bytes).equals(body)).toBe(true);
          expect(read?.problem).toBe(isUtf8(body) ? undefined : "it is not UTF-8");
          if (read?.plain === undefined) continue;
          expect(read.plain.parts.filter((part) => !isUtf8(part))).toEqual([]);
          const memory = new Set(read.plain.parts.map(({ buffer }) => buffer));
          const bytes = [...memory].reduce((sum, { byteLength }) => sum + byteLength, 0);
          expect(bytes).toBeLessThanOrEqual(2 * body.length);
          expect(read.plain.parts.length).toBeLessThanOrEqual(Math.log2(MOST));
          before = [read.plain, ...before].slice(0, 3);
          last = Buffer.from(body);
        }
      }),
      runs(600),
    );
  });

  test("has the memory of the one that it goes on with, in few parts", async () => {
    const read = async (body: Buffer, before: Bytes[]) =>
      (await readRequestBody(requestWith(body, [65_536], { isAnnounced: true }), MOST, before))
        ?.bytes as Bytes;
    const other = await read(Buffer.from("other ".repeat(20_000)), []);
    const first = await read(Buffer.from("same ".repeat(20_000)), []);
    let last = first;
    const counts: number[] = [];
    for (let more = 0; more < 100; more++) {
      last = await read(Buffer.concat([wholeOf(last), Buffer.from(`more ${more} `)]), [other, last]);
      counts.push(last.parts.length);
    }
    expect(last.parts[0] === first.parts[0]).toBe(true);
    expect(Math.max(...counts)).toBeLessThanOrEqual(8);
    expect(wholeOf(other).toString()).toBe("other ".repeat(20_000));
  });

  test("may end within a character of an earlier one", async () => {
    const earlier = new Bytes([Buffer.from("中".repeat(3000))]);
    const body = wholeOf(earlier).subarray(0, 8000);
    const read = await readRequestBody(requestWith(body, [9000], { isAnnounced: true }), MOST, [earlier]);
    expect([wholeOf(read?.bytes).equals(body), read?.problem]).toEqual([true, "it is not UTF-8"]);
  });

  test("has memory of its own if most of it is", async () => {
    const earlier = new Bytes([Buffer.from("same ".repeat(10_000))]);
    const body = Buffer.concat([...earlier.parts, Buffer.from("other ".repeat(10_000))]);
    for (const isAnnounced of [true, false]) {
      const read = await readRequestBody(requestWith(body, [9000], { isAnnounced }), MOST, [earlier]);
      expect(wholeOf(read?.bytes).equals(body)).toBe(true);
      expect(read?.bytes.parts.map(({ buffer }) => buffer)).not.toContain(earlier.parts[0]?.buffer);
    }
  });

  test("is not compared while it is compressed", async () => {
    const plain = Buffer.from(randomBytes(10_000).toString("hex"));
    const packed = zlib.gzipSync(plain);
    const request = requestWith(packed, [2000], { isAnnounced: true, "content-encoding": "gzip" });
    const read = await readRequestBody(request, MOST, [new Bytes([packed])]);
    expect([wholeOf(read?.bytes).equals(packed), wholeOf(read?.plain).equals(plain)]).toEqual([true, true]);
  });

  test("is refused when it is too long, announced or not", async () => {
    const body = Buffer.alloc(MOST + 1, "a");
    for (const isAnnounced of [true, false])
      expect(await readRequestBody(requestWith(body, [50_000], { isAnnounced }), MOST, [])).toBeUndefined();
  });
});

test("room is made for what comes, not for what was announced", async () => {
  const clients = Array.from({ length: 200 }, () =>
    Object.assign(new PassThrough(), { headers: { "content-length": String(60 * 2 ** 20) } }),
  );
  const { arrayBuffers } = process.memoryUsage();
  const bodies = clients.map((client) => readRequestBody(client as unknown as IncomingMessage, 64 * 2 ** 20));
  for (const client of clients) {
    const wasTaken = once(client, "data");
    client.write(Buffer.alloc(100, "a"));
    await wasTaken;
  }
  expect(process.memoryUsage().arrayBuffers - arrayBuffers).toBeLessThan(10 * 2 ** 20);
  for (const client of clients) client.end();
  expect((await Promise.all(bodies)).map((body) => body?.bytes.length)).toEqual(clients.map(() => 100));
});

test("the bytes of a spliced body are those of its text", () => {
  const text = fc.string({ unit: fc.constantFrom("a", "é", "中", "😀", '"', "\\", "\n", "}") });
  const message = fc.record({ role: fc.constantFrom("user", "assistant"), content: text });
  fc.assert(
    fc.property(
      text,
      fc.array(message, { minLength: 1 }),
      fc.array(fc.nat(20)),
      (model, messages, places) => {
        const client = JSON.stringify({ model, messages, end: model });
        const bytes = Buffer.from(new TextEncoder().encode(client).buffer);
        const given = new Bytes([bytes]);
        const { body, write, pieces } = createReadBody()("messages", given);
        const list = [...(body as { messages: object[] }).messages];
        for (const place of places)
          list.splice(Math.min(place, list.length), 0, { role: "user", content: "Née." });
        const changed = { ...(body as object), messages: list };
        const spliced = splicedBytes({ bytes: given, plain: given }, pieces(changed));
        expect(Buffer.concat(spliced).toString()).toBe(write(changed));
        // What is the client's is not copied.
        const own = spliced.filter((piece) => piece.buffer === bytes.buffer);
        expect(own.reduce((sum, piece) => sum + piece.length, 0)).toBe(bytes.length);
      },
    ),
  );
});

test("other work gets its turn before the work on a long body goes on, and only then", async () => {
  const order: string[] = [];
  const other = new Promise<void>((resolve) => {
    setImmediate(() => {
      order.push("other");
      resolve();
    });
  });
  await pauseIfLong(10_000);
  order.push("short");
  await pauseIfLong(20_000_000);
  order.push("long");
  await other;
  expect(order).toEqual(["short", "other", "long"]);
});
