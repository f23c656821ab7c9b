// The beginning and the end of a text of any length: what is between them is counted and let go.

export interface Excerpt {
  add(text: string): void;
  text(): string;
}

export function createExcerpt(most: number): Excerpt {
  const half = Math.floor(most / 2);
  let head = "";
  let tail = "";
  let length = 0;
  return {
    add(text) {
      length += text.length;
      const more = text.slice(0, half - head.length);
      head += more;
      tail += text.slice(more.length);
      // Not at every call: cutting copies.
      if (tail.length > half * 4) tail = tail.slice(-half);
    },
    text() {
      const end = tail.slice(-half);
      const left = length - head.length - end.length;
      if (left === 0) return head + end;
      return `${head.toWellFormed()}\n\n… ${left} characters left out …\n\n${end.toWellFormed()}`;
    },
  };
}

export function cutMiddle(text: string, most: number): string {
  if (text.length <= most) return text;
  const excerpt = createExcerpt(most);
  excerpt.add(text);
  return excerpt.text();
}
