// Trust in what a project's files would run or inject, and the store that remembers it.

import { absolutePath } from "../../platform/paths.ts";
import { userDirectories } from "../../platform/user-directories.ts";
import type { IsTrusted } from "../source.ts";
import type { TrustStore } from "./user-trust-store.ts";

/** What `projectTrust` takes. */
export interface ProjectTrustOptions {
  /** The directory whose project it is. */
  cwd: string;
  /** The user's home directory. Default: the system's. */
  home?: string | undefined;
}

/** The default: what this user has trusted, with its current content, in this project. */
export function trustedByUser({ cwd, home }: ProjectTrustOptions): IsTrusted {
  return async (path, content) => {
    const { lookUp } = await import("./user-trust-store.ts");
    const from = absolutePath(cwd, process.cwd());
    const store = trustStoreAt(trustFileOf(home));
    return (await lookUp(store, { path: absolutePath(path, from), content, cwd: from })).state === "trusted";
  };
}

/** This user's trust store, loaded when it is opened. */
export function userTrustStore({ home }: Pick<ProjectTrustOptions, "home"> = {}): TrustStore {
  return trustStoreAt(trustFileOf(home));
}

function trustFileOf(home: string | undefined): string {
  return `${userDirectories(home).stateDirectory}/trust.json`;
}

function trustStoreAt(path: string): TrustStore {
  const store = async () => (await import("./user-trust-store.ts")).openTrustStore(path);
  return {
    path,
    state: async (...file) => (await store()).state(...file),
    list: async () => (await store()).list(),
    allow: async (files) => (await store()).allow(files),
    revoke: async (paths) => (await store()).revoke(paths),
    problem: async () => (await store()).problem(),
  };
}
