import type { Caller } from "../caller.ts";
import type { Domain } from "../domain.ts";

/** More than what a worker takes from the time that it notes for a new version to the end of the transaction, ms. */
const commitMs = 5_000;

/**
 * Reads what takes several steps. A version of a document that another takes the place of in between would be missing from the
 * answer: then it is read again.
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
