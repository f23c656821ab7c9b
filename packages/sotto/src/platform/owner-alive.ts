// Whether the process that holds a claim may still be running.

/** Owners are named `host:pid:nonce`. Only a process that surely is gone counts as dead: on this host, no such pid. */
export function isOwnerAlive(owner: string): boolean {
  const [, host, pid] = /^(.+):(\d+):[^:]*$/u.exec(owner) ?? [];
  if (host !== process.getBuiltinModule("node:os").hostname() || Number(pid) === 0) return true;
  try {
    process.kill(Number(pid), 0);
    return true;
  } catch (thrown) {
    return (thrown as NodeJS.ErrnoException).code !== "ESRCH";
  }
}
