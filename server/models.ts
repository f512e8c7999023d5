import type { Settings } from "./config.ts";
import { settlePackInUse } from "./domain/models/settle.ts";
import { installedPack } from "./embedding/registry.ts";
import type { Stores } from "./stores.ts";

/** Decides at start which model pack is in use. Throws if that one is not there or cannot be used. */
export function settleModel(
  { metadata, vectors }: Pick<Stores, "metadata" | "vectors">,
  { model, modelsDir }: Pick<Settings, "model" | "modelsDir">,
): Promise<void> {
  const open = (name: string) => installedPack(name, modelsDir);
  return settlePackInUse({ packs: metadata.packs, vectors, model, open, clock: Date.now });
}
