// Between a server and the reader of its messages: what is too large is left out, what is no message or too much ends it.

import { Transform, type TransformCallback } from "node:stream";

export interface GuardLimits {
  /** A larger message is left out. */
  messageBytes: number;
  /** One of a size that no server sends is the end. */
  sensibleBytes: number;
  /** All that may come within the window. */
  windowMs: number;
  windowBytes: number;
  windowMessages: number;
}

const LIMITS: GuardLimits = {
  // Reading a larger one would hold the thread for longer than a turn should feel.
  messageBytes: 4 * 1024 * 1024,
  sensibleBytes: 256 * 1024 * 1024,
  windowMs: 10_000,
  windowBytes: 48 * 1024 * 1024,
  windowMessages: 5000,
};
const LONGEST_HEADER = 4096;
const END = Buffer.from("\r\n\r\n");

/** Fails, as a stream does, with the reason in words. */
export class FrameGuard extends Transform {
  /** How many messages were left out. */
  skipped = 0;
  private readonly limits: GuardLimits;
  private header = Buffer.alloc(0);
  /** Of the message that is under way. */
  private left = 0;
  private isSkipped = false;
  private window = { since: 0, bytes: 0, messages: 0 };

  constructor(limits: Partial<GuardLimits> = {}) {
    super();
    this.limits = { ...LIMITS, ...limits };
  }

  override _transform(chunk: Buffer, _encoding: BufferEncoding, done: TransformCallback): void {
    try {
      this.takeChunk(chunk);
      done();
    } catch (error) {
      done(error as Error);
    }
  }

  private takeChunk(chunk: Buffer): void {
    this.count(chunk.length, 0);
    let rest = chunk;
    while (rest.length > 0) {
      if (this.left === 0) rest = this.takeHeader(rest);
      const body = rest.subarray(0, this.left);
      if (body.length === 0) continue;
      if (!this.isSkipped) this.push(body);
      this.left -= body.length;
      rest = rest.subarray(body.length);
    }
  }

  /** What is left of the chunk behind the header. */
  private takeHeader(chunk: Buffer): Buffer {
    const all = Buffer.concat([this.header, chunk]);
    const end = all.indexOf(END);
    if (end < 0 ? all.length > LONGEST_HEADER : end > LONGEST_HEADER)
      throw new Error("it sent something that is no message");
    this.header = end < 0 ? all : Buffer.alloc(0);
    if (end < 0) return Buffer.alloc(0);
    const header = all.subarray(0, end + END.length);
    this.begin(header);
    return all.subarray(header.length);
  }

  private begin(header: Buffer): void {
    const text = header.toString("latin1");
    const length = /^content-length:[ \t]*(\d{1,15})[ \t]*\r$/imu.exec(text)?.[1];
    if (length === undefined) throw new Error("it sent something that is no message");
    this.left = Number(length);
    const { sensibleBytes, messageBytes } = this.limits;
    if (this.left > sensibleBytes) throw new Error(`it announced a message of ${this.left} bytes`);
    this.count(0, 1);
    this.isSkipped = this.left > messageBytes;
    if (this.isSkipped) this.skipped += 1;
    else this.push(header);
  }

  private count(bytes: number, messages: number): void {
    const { windowMs, windowBytes, windowMessages } = this.limits;
    const now = performance.now();
    if (now - this.window.since > windowMs) this.window = { since: now, bytes: 0, messages: 0 };
    this.window.bytes += bytes;
    this.window.messages += messages;
    const seconds = Math.round(windowMs / 1000);
    if (this.window.bytes > windowBytes)
      throw new Error(`it sent more than ${windowBytes} bytes in ${seconds} seconds`);
    if (this.window.messages > windowMessages)
      throw new Error(`it sent more than ${windowMessages} messages in ${seconds} seconds`);
  }
}
