// Waits for something that may not hear the signal itself.

/** `graceMs`: how long it may take to end once the signal came. */
export async function untilAborted<T>(work: Promise<T>, signal: AbortSignal, graceMs = 0): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  let stop = () => {};
  const aborted = new Promise<never>((_resolve, reject) => {
    stop = () => {
      timer = setTimeout(() => reject(signal.reason), graceMs);
    };
  });
  signal.addEventListener("abort", stop, { once: true });
  if (signal.aborted) stop();
  try {
    return await Promise.race([work, aborted]);
  } finally {
    clearTimeout(timer);
    signal.removeEventListener("abort", stop);
  }
}
