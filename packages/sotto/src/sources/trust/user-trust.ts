// What a project's files would run, or say with authority, and the book that remembers what of it was allowed.

import { absolutePath } from "../../platform/paths.ts";
import { userDirectories } from "../../platform/user-directories.ts";
import type { IsTrusted } from "../source.ts";
import type { TrustStore } from "./trust-store.ts";

/** What `projectTrust` takes. */
export interface ProjectTrustOptions {
  /** The directory whose project it is. */
  cwd: string;
  /** The user's home directory. Default: the system's. */
  home?: string | undefined;
}

/** What is trusted unless a host says otherwise: what this user has allowed, as it stands, in this project. */
export function trustedByUser({ cwd, home }: ProjectTrustOptions): IsTrusted {
  const book = userTrustStore(home === undefined ? {} : { home });
  return async (path, content) => {
    const { lookUp } = await import("./trust-store.ts");
    const from = absolutePath(cwd, process.cwd());
    return (await lookUp(book, { path: absolutePath(path, from), content, cwd: from })).state === "trusted";
  };
}

/** This user's book, its code loaded when it is opened. */
export function userTrustStore({ home }: Pick<ProjectTrustOptions, "home"> = {}): TrustStore {
  const path = `${userDirectories(home).stateDirectory}/trust.json`;
  const book = async () => (await import("./trust-store.ts")).openTrustStore(path);
  return {
    path,
    state: async (...file) => (await book()).state(...file),
    list: async () => (await book()).list(),
    allow: async (files) => (await book()).allow(files),
    revoke: async (paths) => (await book()).revoke(paths),
    problem: async () => (await book()).problem(),
  };
}
