// Where programs keep their notes of past sessions in a project.

/** One directory per project: named after it, and unlike that of any other. */
export function sessionMemoryPlace(stateDirectory: string, project: string): string {
  const name = project.slice(project.lastIndexOf("/") + 1).replace(/[^\w.-]+/gu, "-");
  const { createHash } = process.getBuiltinModule("node:crypto");
  const hash = createHash("sha256").update(project).digest("hex").slice(0, 10);
  return `${stateDirectory}/session-memory/${name.slice(0, 60)}-${hash}`;
}
