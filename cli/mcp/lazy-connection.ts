import type { Drs } from "@drs/client";
import { connectTo, type Connected } from "../connection/connect.ts";
import type { ConnectionFlags } from "../connection/target.ts";
import type { CommandIo } from "../command-io.ts";

/** A connection that is made when it is first needed, and again after a failure. */
export interface LazyConnection {
  /** Rejects if connecting fails; the next call tries again. */
  drs(): Promise<Drs>;
  /** Closes everything that was started for the connection. */
  close(): Promise<void>;
}

export function connectWhenNeeded(flags: ConnectionFlags, io: CommandIo, say: (text: string) => void): LazyConnection {
  let connecting: Promise<Connected> | undefined;
  const connected = async (): Promise<Connected> => {
    const now = (connecting ??= connectTo(flags, io, say));
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
