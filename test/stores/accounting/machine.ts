import { existsSync } from "node:fs";
import { mkdtemp, readdir, rm, stat } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import pino from "pino";
import type { Caller } from "../../../server/domain/caller.ts";
import type { Domain } from "../../../server/domain/domain.ts";
import { newKeyId } from "../../../server/domain/ids.ts";
import { createLimitsOf } from "../../../server/domain/plans/limits-of.ts";
import type { BlobStore } from "../../../server/domain/ports/blobs.ts";
import { noMeter } from "../../../server/domain/ports/meter.ts";
import { noTracing } from "../../../server/domain/ports/tracing.ts";
import type { Metadata } from "../../../server/domain/ports/metadata.ts";
import { createUploadTurns } from "../../../server/domain/uploads/turns.ts";
import { sweep } from "../../../server/pipeline/jobs/cleanup/sweep.ts";
import { recover } from "../../../server/startup/recovery.ts";
import { openFolderBlobs } from "../../../server/storage/blobs/folder.ts";
import { openMetadata } from "../../../server/storage/metadata/open.ts";
import { documentFormats } from "../../../server/formats/identify.ts";
import { makeEvent, makeFounding, morning } from "../testing/records.ts";
import { createLife, type Life, mortal } from "./life.ts";

/** A service as far as it stores: the verbs on a database and a folder, in a process that may die. */
export interface Process {
  readonly life: Life;
  readonly domain: Domain;
  /** One round of the sweeper; true if more is due. */
  sweep(): Promise<boolean>;
}

/** A data folder, over which one process follows another. */
export interface Machine {
  readonly caller: Caller;
  /** The process that runs now. */
  readonly now: Process;
  /** The same stores, outside of any life: to choose targets and to check the state. */
  readonly metadata: Metadata;
  /** Milliseconds since the epoch; only grows. */
  time: number;
  /** Begins with a new organisation, which may store so much. */
  found(maxStorageBytes: number | null): Promise<void>;
  setLimit(maxStorageBytes: number | null): Promise<void>;
  /** Another process starts on what the previous one left; if it dies meanwhile another follows. Each takes one life; the last goes on. */
  restart(lives?: number[]): Promise<void>;
  /** Sizes of the files in the blob folder by their keys. */
  files(): Promise<ReadonlyMap<string, number>>;
  /** A file with so many bytes that is in no store. */
  readonly scratch: string;
  remove(): Promise<void>;
}

const unlimited = 1e9;
/** Folders in memory, where there are: thousands of commits would wait for a disk for minutes. */
const memory = "/dev/shm";
/** The folders whose bytes are counted. */
const folders = ["originals", "converted", "parts"] as const;
const noLimits = {
  maxUploadBytes: null,
  maxRetentionDays: null,
  requestsPerMinute: null,
  concurrentJobs: null,
  maxPages: null,
};

export async function createMachine(): Promise<Machine> {
  const scratch = await mkdtemp(join(existsSync(memory) ? memory : tmpdir(), "drs-accounting-"));
  const dataDir = join(scratch, "data");
  const log = pino({ level: "silent" });
  let metadata = await openMetadata({ url: undefined, dataDir, clock: () => machine.time });
  let blobs = await openFolderBlobs(join(dataDir, "blobs"));
  let turns = createUploadTurns();
  let founded = makeFounding();

  function begin(steps: number): Process {
    const life = createLife(steps);
    const own = { metadata: mortal(metadata, life), blobs: mortal<BlobStore>(blobs, life) };
    const clock = (): number => machine.time;
    const domain = domainOf({
      ...own,
      formats: documentFormats,
      vectors: { remove: async () => undefined },
      worker: { wake: () => undefined },
      remoteFiles: { parse: (address) => new URL(address) },
      uploadTurns: turns,
      meter: noMeter,
      tracing: noTracing,
      clock,
      limits: { maxUploadBytes: unlimited, maxDocumentBytes: unlimited },
      limitsOf: createLimitsOf(own.metadata, clock),
    });
    const maintenance = { request: (done?: () => void) => done?.() };
    return {
      life,
      domain,
      sweep: () => sweep({ ...own, vectors: domain.vectors, maintenance, rowMaintenance: maintenance, clock, log }),
    };
  }

  const machine: Machine & { now: Process } = {
    scratch,
    time: morning,
    get metadata() {
      return metadata;
    },
    get caller(): Caller {
      const { organisation, workspace } = founded;
      return {
        organisationId: organisation.id,
        workspaceId: workspace.id,
        actor: { kind: "key", keyId: newKeyId(), requestsPerMinute: null },
        scopes: new Set(["read", "write"]),
        isOperator: false,
      };
    },
    now: begin(Infinity),

    async found(maxStorageBytes) {
      founded = makeFounding();
      const plan = founded.organisation.id.replaceAll("_", "-");
      founded = { ...founded, organisation: { ...founded.organisation, plan } };
      // What a failed run has left must not make the runs fail that look for a smaller example.
      await Promise.all(folders.map((folder) => rm(join(dataDir, "blobs", folder), { recursive: true, force: true })));
      await machine.setLimit(maxStorageBytes);
      await metadata.organisations.create(founded, []);
    },

    async setLimit(maxStorageBytes) {
      const plan = { name: founded.organisation.id.replaceAll("_", "-"), limits: { ...noLimits, maxStorageBytes } };
      await metadata.plans.set(plan, makeEvent());
    },

    async restart(lives = []) {
      for (;;) {
        await turns.close();
        await metadata.close();
        metadata = await openMetadata({ url: undefined, dataDir, clock: () => machine.time });
        blobs = await openFolderBlobs(join(dataDir, "blobs"), { sweepTemporary: true });
        turns = createUploadTurns();
        machine.now = begin(lives.shift() ?? Infinity);
        const { life, domain } = machine.now;
        try {
          await recover(domain);
        } catch (cause) {
          if (!life.isOver()) throw cause;
        }
        if (!life.isOver()) return;
      }
    },

    async files() {
      const found = new Map<string, number>();
      for (const folder of folders) {
        const names = await readdir(join(dataDir, "blobs", folder)).catch(() => []);
        for (const name of names) {
          found.set(`${folder}/${name}`, (await stat(join(dataDir, "blobs", folder, name))).size);
        }
      }
      return found;
    },

    async remove() {
      await metadata.close();
      await rm(scratch, { recursive: true });
    },
  };
  return machine;
}

/** A domain that has only these parts: all that the verbs of these tests reach. */
function domainOf(parts: { readonly [Name in keyof Domain]?: Partial<Domain[Name]> }): Domain {
  return new Proxy<Domain>(Object.create(null), {
    get(_, name) {
      const part: unknown = Reflect.get(parts, name);
      if (part === undefined) throw new Error(`${String(name)} is reached after all`);
      return part;
    },
  });
}
