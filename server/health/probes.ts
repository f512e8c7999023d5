import type { Supervisor } from "../pipeline/process/supervisor.ts";
import type { Stores } from "../stores.ts";

/** The readiness probes of every process with a worker: its stores answer, and so does its worker. */
export function probesOf({ metadata, blobs, vectors }: Stores, supervisor: Pick<Supervisor, "state">) {
  return {
    metadata: () => metadata.ping(),
    blobs: () => blobs.ping(),
    vectors: () => vectors.ping(),
    async worker(): Promise<void> {
      const state = supervisor.state();
      if (!state.ready) throw new Error(state.reason);
    },
  };
}
