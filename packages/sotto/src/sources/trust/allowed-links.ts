// Whether the user has allowed a link of a project that leads out of it.

import type { OutwardLink } from "../files/project.ts";
import { openTrustBook, trustPath } from "./trust-store.ts";

/** What is behind a link may change as it likes; where it leads may not. */
export async function isLinkAllowed(link: OutwardLink, stateDirectory: string): Promise<boolean> {
  const book = openTrustBook(trustPath(stateDirectory));
  return (await book.state(link.place, linkContent(link))) === "trusted";
}

/** What the book remembers of it. */
export function linkContent({ target }: OutwardLink): string {
  return `a link to ${target}`;
}
