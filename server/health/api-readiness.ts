import type { Logger } from "pino";
import type { PackFolders } from "../embedding/registry.ts";
import type { Supervisor } from "../pipeline/process/supervisor.ts";
import { probesOf } from "./probes.ts";
import { createReadiness, type ReadinessState } from "./readiness.ts";
import { storageFault } from "../storage/disk.ts";
import type { Stores } from "../stores.ts";

interface Options {
  readonly stores: Stores;
  readonly supervisor: Pick<Supervisor, "state">;
  readonly packFolders: PackFolders;
  readonly dataDir: string;
  readonly log: Logger;
}

/** The readiness checks of an API process, and remarks that it makes while it is ready. */
export function createApiReadiness({ stores, supervisor, packFolders, dataDir, log }: Options): ReadinessState {
  const { metadata } = stores;
  return createReadiness({
    probes: {
      ...probesOf(stores, supervisor),
      async disk() {
        const fault = await storageFault(dataDir);
        if (fault !== undefined) throw new Error(fault);
      },
    },
    remarks: {
      async index() {
        const datasets = await metadata.indices.countRebuilds();
        return datasets === 0 ? undefined : `datasets that are being embedded again: ${datasets}`;
      },
      async model() {
        const inUse = (await metadata.packs.list()).find((pack) => pack.isInUse);
        if (inUse === undefined || (await packFolders.find(inUse.id)) !== undefined) return undefined;
        return `the model pack in use, ${inUse.id}, is not on this machine: searches here go by words alone`;
      },
    },
    log,
  });
}
