import { readFile } from "node:fs/promises";
import pino from "pino";
import type { BlobStore } from "../../../server/domain/ports/blobs.ts";
import { noMeter } from "../../../server/domain/ports/meter.ts";
import { noTracing } from "../../../server/domain/ports/tracing.ts";
import type { Metadata } from "../../../server/domain/ports/metadata.ts";
import type { VectorStore } from "../../../server/domain/ports/vector-store.ts";
import { type Dispatcher, startDispatcher } from "../../../server/pipeline/jobs/dispatch.ts";
import { createAllowedAddresses } from "../../../server/remote/allowed-addresses.ts";
import { createRemoteFiles } from "../../../server/remote/remote-files.ts";
import { featureCodec } from "../../../server/storage/features/codec.ts";
import { openDocuments, pack } from "./documents.ts";

export interface WorkerStores {
  readonly metadata: Metadata;
  readonly blobs: BlobStore;
  readonly vectors: VectorStore;
}

/** A worker that can be paused at any call, as by SIGSTOP. */
export interface PausableWorker {
  readonly owner: string;
  wake(): void;
  pause(): void;
  resume(): void;
  /** It never goes on again, as after SIGKILL. */
  kill(): void;
  stop(): Promise<void>;
}

export function startPausableWorker(stores: WorkerStores, owner: string, clock: () => number): PausableWorker {
  let going: PromiseWithResolvers<void> | undefined;
  let isDead = false;
  const gate = (): Promise<void> => (isDead ? new Promise<never>(() => undefined) : (going?.promise ?? done));
  const own = {
    metadata: gated(stores.metadata, gate),
    blobs: gated(stores.blobs, gate),
    vectors: gated(stores.vectors, gate),
    features: featureCodec,
  };
  const { pool, trials } = openDocuments(async (file) => Number(await readFile(file, "utf8")), gate);
  const unasked = () => Promise.reject(new Error("not asked for"));
  const dispatcher: Dispatcher = startDispatcher(
    {
      ...own,
      pool,
      trials,
      remoteFiles: createRemoteFiles(createAllowedAddresses([])),
      packs: { find: async () => pack, inUse: async () => pack },
      packFolders: { find: async () => "/nowhere" },
      renditions: { make: unasked },
      maintenance: { request: (onDone) => onDone?.() },
      rowMaintenance: { request: () => undefined },
      conversions: { convert: unasked, describe: unasked },
      scratch: { folder: unasked, remove: async () => undefined },
      settings: {
        renditions: "on-demand",
        workers: 2,
        convertTimeoutMs: 1_000,
        maxSheetPages: 10,
        maxDocumentBytes: 1_000,
      },
      clock,
      meter: noMeter,
      tracing: noTracing,
      log: pino({ level: "silent" }),
    },
    { owner, concurrency: 2, sweeps: () => true },
  );
  const resume = (): void => {
    going?.resolve();
    going = undefined;
  };
  return {
    owner,
    wake: () => dispatcher.wake(),
    pause: () => (going ??= Promise.withResolvers()),
    resume,
    kill() {
      isDead = true;
      resume();
    },
    async stop() {
      resume();
      if (!isDead) await dispatcher.stop();
    },
  };
}

const done = Promise.resolve();

/** The same store, each call of which waits at the gate, and again before its result is returned. */
function gated<Store extends object>(store: Store, gate: () => Promise<void>): Store {
  return new Proxy(store, {
    get(target, name, receiver) {
      const value: unknown = Reflect.get(target, name, receiver);
      if (typeof value === "object" && value !== null) return gated(value, gate);
      if (typeof value !== "function") return value;
      return async (...inputs: unknown[]) => {
        await gate();
        const result: unknown = await Reflect.apply(value, target, inputs);
        await gate();
        return result;
      };
    },
  });
}
