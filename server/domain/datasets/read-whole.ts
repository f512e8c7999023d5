import type { Caller } from "../caller.ts";
import type { Domain } from "../domain.ts";

/** Longer than a worker needs between noting the time of a new version and committing its transaction, ms. */
const commitMs = 5_000;

/**
 * Runs a read of several steps. If a version was replaced by a newer one in the meantime, the document could be
 * missing from the result, so it is read again.
 */
export async function readWhole<Result>(
  { metadata, clock }: Pick<Domain, "clock"> & { readonly metadata: { readonly datasets: Versions } },
  { workspaceId }: Pick<Caller, "workspaceId">,
  read: () => Promise<Result>,
): Promise<Result> {
  const since = clock() - commitMs;
  const result = await read();
  return (await metadata.datasets.isReplacedSince(workspaceId, since)) ? read() : result;
}

type Versions = Pick<Domain["metadata"]["datasets"], "isReplacedSince">;
