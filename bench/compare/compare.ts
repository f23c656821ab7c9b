export async function compareWith(_: unknown): Promise<number> {
  return 0;
}
