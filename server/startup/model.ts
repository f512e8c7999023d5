import type { Settings } from "../settings/settings.ts";
import { settlePackInUse } from "../domain/models/packs.ts";
import { installedPack } from "../embedding/registry.ts";
import type { Stores } from "../stores.ts";

/**
 * Decides at start which model pack is in use; `isShared`: beside processes of other versions. Throws if that one is not
 * there or cannot be used.
 */
export function settleModel(
  { metadata, clock }: Pick<Stores, "metadata" | "clock">,
  { model, modelsDir, isShared }: Pick<Settings, "model" | "modelsDir"> & { readonly isShared: boolean },
): Promise<void> {
  const open = (name: string) => installedPack(name, modelsDir);
  return settlePackInUse({ packs: metadata.packs, model, open, isShared, clock });
}
