// Whether something ends in time: the prompt comes only once, and what is slow goes on without the turn.

/** Whether it ends in time; its failure is one. */
export async function isOver(end: Promise<void>, ms: number): Promise<boolean> {
  let timer: NodeJS.Timeout | undefined;
  const enough = new Promise<boolean>((resolve) => {
    timer = setTimeout(() => resolve(false), ms);
  });
  try {
    return await Promise.race([end.then(() => true), enough]);
  } finally {
    clearTimeout(timer);
  }
}
