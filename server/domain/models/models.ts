import { actOf } from "../audit/event.ts";
import { type Caller, requireOperator } from "../caller.ts";
import type { Domain } from "../domain.ts";
import { notFound, unprocessable } from "../errors.ts";
import type { ChangeProgress, InstalledPack, KnownPack, PackAbout } from "../ports/packs.ts";
import { leaving } from "./packs.ts";

export interface ModelView {
  /** `id@version`. */
  readonly id: string;
  /**
   * `folder` means that the settings name its folder; `gone`, that datasets are still indexed with it, but its
   * files are missing.
   */
  readonly place: InstalledPack["place"] | "gone";
  readonly isInUse: boolean;
  /** Undefined if it can no longer be read. */
  readonly about: PackAbout | undefined;
  /** Number of datasets, among those that the caller may count, that are served from it. */
  readonly datasets: number;
}

export interface ModelsView {
  readonly inUse: string;
  /** The pack in use comes first. */
  readonly packs: readonly ModelView[];
  readonly progress: ChangeProgress;
}

/**
 * Lists the packs on the server and the progress of a change of packs: for the operator of all datasets, otherwise
 * of those of the caller's organisation.
 */
export async function listModels(domain: Domain, { caller }: { caller: Caller }): Promise<ModelsView> {
  const { metadata, packRegistry } = domain;
  const known = await metadata.packs.list();
  const installed = await packRegistry.list();
  const progress = await metadata.packs.progress(caller.isOperator ? undefined : caller.organisationId);
  const inUse = known.find(({ isInUse }) => isInUse)?.id ?? "";
  const view = (id: string, place: ModelView["place"], about: PackAbout | undefined): ModelView => ({
    id,
    place,
    isInUse: id === inUse,
    about,
    datasets: progress.datasetsByPack.get(id) ?? 0,
  });
  const isInstalled = ({ id, model }: KnownPack): boolean =>
    installed.some((pack) => pack.id === id && !isFolder(model));
  const others = known.filter((pack) => !isInstalled(pack));
  const packs = [
    ...others.map((pack) => view(pack.id, isFolder(pack.model) ? "folder" : "gone", aboutOf(domain, pack))),
    ...installed
      .filter(({ id }) => !others.some((pack) => pack.id === id))
      .map(({ id, place, about }) => view(id, place, about)),
  ];
  return { inUse, packs: packs.sort((one, other) => Number(other.isInUse) - Number(one.isInUse)), progress };
}

/** Only the settings name packs by their folder. */
const isFolder = (model: string): boolean => /[/\\]/.test(model);

function aboutOf({ packRegistry }: Domain, pack: KnownPack): PackAbout | undefined {
  try {
    return packRegistry.read(pack).about;
  } catch {
    return undefined;
  }
}

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
  throw notFound(
    `there is no model pack ${JSON.stringify(id)} on the server; drs models list shows the installed packs`,
    {
      reason: "MODEL_PACK_NOT_FOUND",
    },
  );
}
