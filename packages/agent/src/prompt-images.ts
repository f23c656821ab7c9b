// Images in a prompt: mentioned with `@`, or as the path a terminal inserts when a file is dropped on it.

import { realpath, stat } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { SessionEvent } from "sotto";
import { mentionsIn } from "sotto/inspect";
import type { Listener } from "./agent-events.ts";
import { readWhole } from "./tools/files/access.ts";
import { createReadRules } from "./tools/files/denied.ts";
import { imageType } from "./tools/files/text-encoding.ts";

export type QueuedPrompt = Extract<SessionEvent, { type: "prompt_queued" }>["prompt"];

export interface PromptImages {
  /** Returns the prompt with dropped images written as mentions, so that they are attached like those. */
  mentioning(prompt: string): Promise<string>;
  /** Returns the prompt as it is queued: the text, then the images. */
  queued(prompt: string): Promise<QueuedPrompt>;
}

export interface PromptImagesOptions {
  cwd: string;
  home: string;
  denyRead: readonly string[];
  listen: Listener;
}

// The limit of providers, before encoding.
const LARGEST_IMAGE = 3_750_000;
const MOST_IMAGES = 8;
const IMAGE = /\.(?:png|jpe?g|gif|webp)$/iu;
// Terminals quote a dropped path, escape special characters with a backslash, or insert a URL.
const QUOTED = /(?<![^\s])(['"])((?:file:\/\/|~?\/)[^'"\n]{1,4096}?)\1(?![^\s])/gu;
const ESCAPED = /(?<![^\s])(?:file:\/\/|~?\/)(?:\\.|[^\s\\'"]){1,4096}/gu;

export function createPromptImages({ cwd, home, denyRead, listen }: PromptImagesOptions): PromptImages {
  const mentioning = async (prompt: string) => {
    const dropped = [];
    for (const path of droppedPaths(prompt, home))
      if ((await stat(path).catch(() => undefined))?.isFile()) dropped.push(`@"${path}"`);
    return [prompt, ...dropped].join(" ");
  };

  const isDenied = createReadRules({ cwd, denyRead });
  const imageAt = async (path: string) => {
    try {
      if (isDenied(path)) throw new Error(`${path} is denied by --deny`);
      const place = { path, realPath: await realpath(path), exists: true };
      const bytes = await readWhole(place, LARGEST_IMAGE);
      const mediaType = imageType(bytes);
      if (mediaType === undefined) throw new Error(`${path} is not a PNG, JPEG, GIF or WebP image`);
      return [{ type: "image" as const, mediaType, data: bytes.toString("base64") }];
    } catch (error) {
      listen({ type: "notice", text: `an image was not attached: ${(error as Error).message}` });
      return [];
    }
  };

  return {
    mentioning,
    async queued(prompt) {
      const text = await mentioning(prompt);
      if (!text.includes("@")) return prompt;
      const { files } = await mentionsIn({ prompt: text, cwd, home, permissions: { denyRead } });
      const paths = [...new Set(files.map(({ path }) => path))].filter((path) => IMAGE.test(path));
      const images = (await Promise.all(paths.slice(0, MOST_IMAGES).map(imageAt))).flat();
      return images.length === 0 ? prompt : [{ type: "text", text: prompt }, ...images];
    },
  };
}

/** Absolute paths only: other words may just look like an image's name. */
export function droppedPaths(prompt: string, home: string): string[] {
  const quoted = [...prompt.matchAll(QUOTED)].map(([, , path = ""]) => path);
  const escaped = [...prompt.matchAll(ESCAPED)].map(([path]) =>
    path.replace(/[.,;:!?)]+$/u, "").replace(/\\(.)/gu, "$1"),
  );
  const paths = [...quoted, ...escaped].flatMap((written) => pathOf(written, home));
  return [...new Set(paths)].filter((path) => IMAGE.test(path) && !path.includes('"')).slice(0, MOST_IMAGES);
}

function pathOf(written: string, home: string): string[] {
  if (written.startsWith("~/")) return [join(home, written.slice(2))];
  if (!written.startsWith("file:")) return [written];
  try {
    return [fileURLToPath(written)];
  } catch {
    return [];
  }
}
