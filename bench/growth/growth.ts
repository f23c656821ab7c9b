export async function growthReport(_: unknown): Promise<number> {
  return 0;
}
