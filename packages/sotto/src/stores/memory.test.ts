// The memory store against the contract.

import { describeStore } from "../../../../test/support/store-contract.ts";
import { createMemoryStore } from "./memory.ts";

describeStore("memory", async () => ({ store: createMemoryStore(), cleanup() {} }), false);
