import type { Domain } from "../domain.ts";
import { defaultLimit } from "../datasets/list.ts";
import { noMeter } from "../ports/meter.ts";
import { noTracing } from "../ports/tracing.ts";
import { rankInPacks } from "./rank-in-packs.ts";

/** Words that most documents have, in no language in particular. */
const text = "page 1";

/**
 * Asks the index once, so that the first search need not load the model, open the index and read its lists: some half a second.
 * In the first workspace of those who run the service that has vectors; nothing where none has. It is not among the figures of
 * searches, and takes no turn of them.
 */
export async function warmUpSearch(domain: Domain, signal: AbortSignal): Promise<void> {
  const { metadata } = domain;
  const organisation = await metadata.organisations.operator();
  if (organisation === undefined) return;
  for (const { id: workspaceId } of await metadata.workspaces.list(organisation.id)) {
    signal.throwIfAborted();
    if ((await metadata.packs.inWorkspace(workspaceId)).length === 0) continue;
    const scope = { workspaceId, datasetIds: undefined, limit: defaultLimit };
    await rankInPacks({ ...domain, meter: noMeter, tracing: noTracing }, { query: { text }, scope, signal });
    return;
  }
}
