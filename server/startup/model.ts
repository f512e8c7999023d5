import type { Settings } from "../settings/settings.ts";
import { settlePackInUse } from "../domain/models/packs.ts";
import { installedPack } from "../embedding/registry.ts";
import type { Stores } from "../stores.ts";

/**
 * Decides at the start which model pack is in use. `isShared` is true if processes of other versions may run on the stores.
 * Throws if the pack is missing or cannot be used.
 */
export function settleModel(
  { metadata, clock }: Pick<Stores, "metadata" | "clock">,
  { model, modelsDir, isShared }: Pick<Settings, "model" | "modelsDir"> & { readonly isShared: boolean },
): Promise<void> {
  const open = (name: string) => installedPack(name, modelsDir);
  return settlePackInUse({ packs: metadata.packs, model, open, isShared, clock });
}
