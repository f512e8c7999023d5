import type { DatasetId } from "../../domain/ids.ts";
import type { Pass } from "../../domain/ports/vectors.ts";

/**
 * Looks up, once, which datasets pass of those that are not known to. `known` gets those that do; `ask` gives those of the ids
 * that pass.
 */
export function askingPass(
  known: Set<DatasetId>,
  ask: (ids: readonly DatasetId[]) => Promise<readonly DatasetId[]>,
): Pass {
  const refused = new Set<DatasetId>();
  return async (ids) => {
    const unknown = [...ids].filter((id) => !known.has(id) && !refused.has(id));
    if (unknown.length === 0) return known;
    for (const id of await ask(unknown)) known.add(id);
    for (const id of unknown) if (!known.has(id)) refused.add(id);
    return known;
  };
}
