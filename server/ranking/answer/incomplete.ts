import type { Domain } from "../../domain/domain.ts";
import type { DatasetId } from "../../domain/ids.ts";
import type { SearchScope } from "../../domain/ports/vectors.ts";

/** Maximum number of datasets in the list. */
const maxNamed = 100;

/**
 * The first hundred datasets in the scope whose pages a search may not have found completely, because part of the index was
 * lost and is being rebuilt. Call it after the search, since the search may be what discovers the loss.
 */
export const incompleteDatasets = (
  { metadata }: Pick<Domain, "metadata">,
  { workspaceId, datasetIds }: Pick<SearchScope, "workspaceId" | "datasetIds">,
): Promise<readonly DatasetId[]> => metadata.indices.incomplete({ workspaceId, datasetIds }, maxNamed);
