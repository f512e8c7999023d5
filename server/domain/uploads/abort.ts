import type { Caller } from "../caller.ts";
import { changeable } from "../datasets/view.ts";
import type { Domain } from "../domain.ts";
import { findOpenUpload } from "./find.ts";

/**
 * Ends a session without a document: it disappears from every answer at once; the worker then removes its parts,
 * also after a crash. Throws `not_found`, and `conflict` if it has become a dataset.
 */
export async function abortUpload(
  domain: Domain,
  { caller, input }: { caller: Caller; input: { key: string } },
): Promise<void> {
  const { metadata, clock, worker } = domain;
  const { key } = await findOpenUpload(domain, caller, input.key);
  // If another call has ended or aborted it in between, this says which.
  const isAborted = await metadata.uploads.abort(caller.workspaceId, key, clock(), changeable(caller));
  if (!isAborted) await findOpenUpload(domain, caller, key);
  worker.wake();
}
