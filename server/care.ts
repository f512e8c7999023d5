import type { Settings } from "./settings/settings.ts";
import { createPacks } from "./domain/models/packs.ts";
import type { VerifyContext } from "./domain/verify/finding.ts";
import { openPackRegistry } from "./embedding/registry.ts";
import { closeStores, openStores } from "./stores.ts";

/** The stores, opened for a maintenance command. */
export interface Care extends VerifyContext {
  close(): Promise<void>;
}

/** Opens the stores for maintenance commands, while a server is running or without one. */
export async function openForCare(settings: Settings): Promise<Care> {
  const stores = await openStores(settings);
  return {
    ...stores,
    packs: createPacks(stores.metadata.packs, openPackRegistry(settings.modelsDir)),
    close: () => closeStores(stores),
  };
}
