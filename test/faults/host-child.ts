// The host as a process: lives the life it is given as JSON, unless it is killed.

import { exchange } from "./exchange.ts";
import { burst, createHost, isAbout, type Life, recordAgain } from "./host.ts";

const MOST_LAST_EXCHANGES = 20;

await live(JSON.parse(process.argv[2] ?? "") as Life);
// Nothing is waited for that a real host would not wait for.
process.exit(0);

async function live(life: Life): Promise<void> {
  const host = createHost(life);
  if (isAbout(life, "snapshot")) await burst(host);
  await recordAgain(host);
  for (let done = 0; done < life.exchanges; done++) await exchange(host);
  for (let tries = 0; life.last && (await exchange(host)) > 0; tries++)
    if (tries === MOST_LAST_EXCHANGES) throw new Error("there is always something due");
  host.reach("before-close");
  await host.engine.close();
  host.reach("after-close");
}
