import type { Drs } from "@drs/client";
import { connectTo, type Connected } from "../connection/connect.ts";
import type { ConnectionFlags } from "../connection/target.ts";
import type { World } from "../world.ts";

/** A connection that is made once, when it is first needed, and again after a failure. */
export interface LazyConnection {
  /** Rejects with the reason why there is none; the next call tries again. */
  drs(): Promise<Drs>;
  /** Ends what was started for it. */
  close(): Promise<void>;
}

export function connectWhenNeeded(flags: ConnectionFlags, world: World, say: (text: string) => void): LazyConnection {
  let connecting: Promise<Connected> | undefined;
  const connected = async (): Promise<Connected> => {
    const now = (connecting ??= connectTo(flags, world, say));
    try {
      return await now;
    } catch (cause) {
      if (connecting === now) connecting = undefined;
      throw cause;
    }
  };
  return {
    drs: async () => (await connected()).drs,
    async close() {
      const last = await connecting?.catch(() => undefined);
      await last?.close();
    },
  };
}
