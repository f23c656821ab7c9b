// What `/style` shows and says.

import { safe } from "../terminal/safe-text.ts";
import type { Run } from "../run-options.ts";
import { changeStyle } from "../session-style.ts";

export async function stylePage({ styles, session }: Run, name: string | undefined): Promise<string> {
  if (name !== undefined) {
    const { style, isNew } = await changeStyle(styles, session, name).catch((error: Error) => ({
      style: error.message,
      isNew: false,
    }));
    if (typeof style === "string") return safe(style);
    return isNew
      ? `The output style is ${style.name} from the next call on. It stands in the system prompt, so that call reads the whole conversation anew, without the cache, once.`
      : `The output style is ${style.name} already.`;
  }
  const { styles: all, problems } = await styles.list();
  const width = Math.max(...all.map((one) => one.name.length));
  const lines = all.map((one) => {
    const from = one.projectFile === undefined ? "" : " (from this project)";
    const mark = one.name === styles.current.name ? "*" : " ";
    return `${mark} ${one.name.padEnd(width)}  ${one.description}${from}`.trimEnd();
  });
  return safe([...lines, ...problems].join("\n"));
}
