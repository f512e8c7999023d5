import { actOfService } from "../../domain/audit/event.ts";
import type { Clock } from "../../domain/clock.ts";
import { type Dataset, publicId } from "../../domain/datasets/dataset.ts";
import type { DatasetId, OrganisationId, UploadKey, WorkspaceId } from "../../domain/ids.ts";
import type { Metadata } from "../../domain/ports/metadata.ts";
import type { UploadPart } from "../../domain/uploads/upload.ts";

/** Rows per query. */
const atOnce = 500;

/** All workspaces, with their organisations. */
export async function workspacesOf({ organisations, workspaces }: Metadata): Promise<Map<WorkspaceId, OrganisationId>> {
  const found = new Map<WorkspaceId, OrganisationId>();
  for (const { id: organisationId } of await organisations.list()) {
    for (const { id } of await workspaces.list(organisationId)) found.set(id, organisationId);
  }
  return found;
}

export async function* datasetsOf({ datasets }: Pick<Metadata, "datasets">): AsyncGenerator<Dataset> {
  let after: DatasetId | undefined;
  for (;;) {
    const some = await datasets.all(after, atOnce);
    yield* some;
    after = some.at(-1)?.id;
    if (some.length < atOnce) return;
  }
}

/** The parts of all open upload sessions. */
export async function* partsOf(
  { uploads }: Pick<Metadata, "uploads">,
  workspaces: Iterable<WorkspaceId>,
  now: number,
): AsyncGenerator<{ readonly workspaceId: WorkspaceId; readonly key: UploadKey; readonly part: UploadPart }> {
  for (const workspaceId of workspaces) {
    // Collect all keys first: the caller may abort sessions, and offsets would then skip some.
    const keys: UploadKey[] = [];
    for (let offset = 0; ; offset += atOnce) {
      const { data } = await uploads.list({ workspaceId, offset, limit: atOnce, now });
      keys.push(...data.map(({ upload }) => upload.key));
      if (data.length < atOnce) break;
    }
    for (const key of keys) for (const part of await uploads.parts(key)) yield { workspaceId, key, part };
  }
}

/** Deletes from the snapshot a dataset that was deleted from the server during the backup. */
export async function deleteMeanwhile(
  metadata: Metadata,
  dataset: Pick<Dataset, "id" | "versionOf" | "workspaceId">,
  { workspaces, clock }: { workspaces: ReadonlyMap<WorkspaceId, OrganisationId>; clock: Clock },
): Promise<void> {
  const { id, workspaceId } = dataset;
  const organisationId = workspaces.get(workspaceId);
  if (organisationId === undefined) throw new Error(`workspace ${workspaceId} of dataset ${id} is not there`);
  const now = clock();
  const details = "while a backup was made";
  const act = { action: "dataset.delete", target: publicId(dataset), workspaceId, details } as const;
  const event = actOfService(organisationId, act, now);
  if ((await metadata.datasets.delete(workspaceId, id, now, event)) !== undefined) return;
  // A new version that was still being read is deleted by cancelling its job.
  for (const job of await metadata.jobs.standing([id]))
    await metadata.jobs.cancel(workspaceId, job.id, { statusText: details, event }, now);
  await deleteExpired(metadata, clock);
}

export async function deleteExpired({ datasets }: Pick<Metadata, "datasets">, clock: Clock): Promise<void> {
  while ((await datasets.deleteExpired(clock(), atOnce)) > 0);
}

/** Deletes all renditions from the snapshot, because the restored server renders them again on request. */
export async function forgetRenditions({ renditions }: Pick<Metadata, "renditions">): Promise<void> {
  for (;;) {
    const some = await renditions.oldest(atOnce);
    if (some.length === 0) return;
    await renditions.remove(some.map(({ key }) => key));
  }
}
