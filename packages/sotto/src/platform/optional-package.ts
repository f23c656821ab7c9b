// Optional packages: if one is missing, the error says how to install it.

export async function loadPackage<Value>(
  name: string,
  load: () => Promise<Value>,
): Promise<{ value: Value } | { missing: string }> {
  try {
    return { value: await load() };
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    const [why] = String(message).split("\n");
    const known = code === "ERR_MODULE_NOT_FOUND" ? "" : ` (it cannot be loaded: ${why})`;
    return { missing: `npm install ${name}${known}` };
  }
}
