// A proxy before a database that cuts connections: before a statement has arrived, or after it was carried out and
// before its answer is passed on. It can also stall, and lead to another server.

import { once } from "node:events";
import { connect, createServer, type Socket } from "node:net";

export interface CuttingProxy {
  port: number;
  /** How often it cut, before the statement and after it. */
  cuts: { before: number; after: number };
  /** Leads to another server from now on; open connections are cut. */
  leadTo(port: number): void;
  /** Passes nothing on any more, in either direction, until told to. */
  stall(isStalled: boolean): void;
  close(): Promise<void>;
}

export interface ProxyOptions {
  to: number;
  /** Asked for every piece that passes: from a client, or from the server. */
  cuts?: (from: "client" | "server") => boolean;
}

export async function startProxy({ to, cuts = () => false }: ProxyOptions): Promise<CuttingProxy> {
  const open = new Set<{ client: Socket; server: Socket }>();
  const done = { before: 0, after: 0 };
  let target = to;
  let isStalled = false;

  const door = createServer({ noDelay: true }, (client) => {
    const server = connect({ port: target, host: "127.0.0.1", noDelay: true });
    const pair = { client, server };
    open.add(pair);
    const end = () => {
      open.delete(pair);
      client.destroy();
      server.destroy();
    };
    for (const socket of [client, server]) socket.on("error", end).on("close", end);
    // A connection that is being opened is let through: else some processes would never begin.
    let pieces = 0;
    client.on("data", (piece: Buffer) => {
      if (++pieces > GREETING && cuts("client")) {
        done.before++;
        end();
      } else server.write(piece);
    });
    server.on("data", (piece: Buffer) => {
      if (pieces > GREETING && cuts("server")) {
        done.after++;
        end();
      } else client.write(piece);
    });
    if (isStalled) hold(pair);
  });
  const hold = ({ client, server }: { client: Socket; server: Socket }) => {
    client.pause();
    server.pause();
  };
  door.listen(0, "127.0.0.1");
  await once(door, "listening");
  const address = door.address();
  const cutAll = () => {
    for (const { client, server } of open) {
      client.destroy();
      server.destroy();
    }
  };
  return {
    port: typeof address === "object" && address !== null ? address.port : 0,
    cuts: done,
    leadTo(port) {
      target = port;
      cutAll();
    },
    stall(wanted) {
      isStalled = wanted;
      for (const pair of open)
        if (wanted) hold(pair);
        else for (const socket of [pair.client, pair.server]) socket.resume();
    },
    async close() {
      door.close();
      cutAll();
      await once(door, "close");
    },
  };
}

/** Start-up message and password. */
const GREETING = 2;
