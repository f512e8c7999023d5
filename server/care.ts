import type { Settings } from "./settings/settings.ts";
import { createPacks } from "./domain/models/packs.ts";
import type { VerifyContext } from "./domain/verify/finding.ts";
import { openPackRegistry } from "./embedding/registry.ts";
import { closeStores, openStores } from "./stores.ts";

/** The stores, opened to look after them. */
export interface Care extends VerifyContext {
  close(): Promise<void>;
}

/** Opens the stores for commands that look after them, beside a server that is at work or without one. */
export async function openForCare(settings: Settings): Promise<Care> {
  const stores = await openStores(settings);
  return {
    ...stores,
    packs: createPacks(stores.metadata.packs, openPackRegistry(settings.modelsDir)),
    close: () => closeStores(stores),
  };
}
