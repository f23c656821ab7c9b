// Lines put together: a backslash at the end of a line, or a paste, goes on with the next one.

export interface TypedLines {
  /** All of it when this line was the last one. */
  add(line: string): string | undefined;
  /** What there is, where no more lines come. */
  flush(): string | undefined;
  /** Between the marks with which a terminal encloses a paste, no line is the last one. */
  isPasting: boolean;
  readonly hasBegun: boolean;
}

export function createTypedLines(): TypedLines {
  let lines: string[] = [];
  const lineUp = (): string => {
    const all = lines.join("\n");
    lines = [];
    return all;
  };
  return {
    isPasting: false,
    add(line) {
      const goesOn = !this.isPasting && line.endsWith("\\");
      lines.push(goesOn ? line.slice(0, -1) : line);
      return goesOn || this.isPasting ? undefined : lineUp();
    },
    flush: () => (lines.length === 0 ? undefined : lineUp()),
    get hasBegun() {
      return lines.length > 0;
    },
  };
}
