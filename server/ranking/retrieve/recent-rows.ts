import type { Domain } from "../../domain/domain.ts";
import type { WorkspaceId } from "../../domain/ids.ts";

/** How long searches may do without new rows where no job says that there are any: those of an index that is made anew, say. */
export const maxRowAgeMs = 1_000;
/** More than that, and what clocks of processes may differ by. */
const settledMs = 3_000;

interface Stores<Searches> extends Pick<Domain, "clock"> {
  readonly metadata: { readonly jobs: Pick<Domain["metadata"]["jobs"], "hasFinishedSince"> };
  readonly vectors: { readonly searching: (maxAgeMs: number) => Searches };
}

/**
 * The searches for a question that begins now. A job writes its rows before it notes its end, so that whoever has seen it end
 * finds all of them.
 */
export async function recentRows<Searches>(
  { metadata, vectors, clock }: Stores<Searches>,
  workspaceId: WorkspaceId,
): Promise<Searches> {
  const hasEnded = await metadata.jobs.hasFinishedSince(workspaceId, clock() - settledMs);
  return vectors.searching(hasEnded ? 0 : maxRowAgeMs);
}
