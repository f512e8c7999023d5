import { actOf } from "../audit/event.ts";
import { type Caller, requireOperator } from "../caller.ts";
import type { Domain } from "../domain.ts";
import { notFound, unprocessable } from "../errors.ts";
import type { KnownPack } from "../ports/packs.ts";
import { isFolder, listModels, type ModelsView } from "./list.ts";
import { leaving } from "./settle.ts";

interface UseModel {
  readonly caller: Caller;
  /** As `PackRegistry.find` takes it, or the id of a pack that datasets are still indexed with. */
  readonly input: { readonly id: string };
  readonly signal: AbortSignal;
}

/**
 * Puts a pack to use after a test. Throws `not_found` if it is not on the server, `unprocessable` if it cannot be
 * used; then nothing has changed.
 */
export async function useModel(domain: Domain, { caller, input: { id }, signal }: UseModel): Promise<ModelsView> {
  requireOperator(caller, "choose the model pack");
  const { metadata, worker, clock } = domain;
  const pack = await find(domain, id);
  await worker.tryPack(pack.model, signal);
  const before = (await metadata.packs.list()).find(({ isInUse }) => isInUse);
  const act = { action: "model.use", target: pack.id, details: `instead of ${before?.id ?? "none"}` } as const;
  const event = before?.id === pack.id ? undefined : actOf(caller, act, clock());
  if ((await metadata.packs.use(pack, clock(), event)) === "leaving") throw leaving(pack.id);
  worker.wake();
  return listModels(domain, { caller });
}

async function find({ metadata, packRegistry }: Domain, id: string): Promise<Omit<KnownPack, "isInUse">> {
  const installed = await packRegistry.find(id).catch((cause: unknown) => {
    throw unprocessable(cause instanceof Error ? cause.message : String(cause));
  });
  const known = (await metadata.packs.list()).find((pack) => pack.id === id && isFolder(pack.model));
  const found = installed ?? known;
  if (found !== undefined) return { id: found.id, model: found.model, manifest: found.manifest };
  throw notFound(`there is no model pack ${JSON.stringify(id)} on the server; drs models list shows what there is`, {
    reason: "MODEL_PACK_NOT_FOUND",
  });
}
