// Failures of the file system in words that tell what to do.

const WORDS: Record<string, string> = {
  ENOENT: "does not exist",
  EACCES: "may not be opened: no permission",
  EPERM: "may not be opened: no permission",
  EROFS: "cannot be written: the file system is read-only",
  ENOSPC: "cannot be written: the disk is full",
  EDQUOT: "cannot be written: the disk quota is used up",
  ENOTDIR: "cannot be reached: a part of its path is a file, not a directory",
  ENAMETOOLONG: "has a name that is too long",
  ELOOP: "cannot be reached: its links lead in a circle",
  EISDIR: "is a directory",
  EMFILE: "cannot be opened: too many files are open",
};

export function fileProblem(path: string, error: unknown): Error {
  const { code = "", message } = error as NodeJS.ErrnoException;
  return new Error(`${path} ${WORDS[code] ?? `cannot be used: ${message}`}`, { cause: error });
}
