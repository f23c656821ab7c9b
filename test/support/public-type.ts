// The type that hosts see of what the catalogue names: several may yield the same.

import { catalogue } from "sotto/inspect";

export function publicType(type: string): string {
  return catalogue.find((one) => one.type === type)?.sentAs ?? type;
}
