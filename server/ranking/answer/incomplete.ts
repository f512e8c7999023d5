import type { Domain } from "../../domain/domain.ts";
import type { DatasetId } from "../../domain/ids.ts";
import type { SearchScope } from "../../domain/ports/vectors.ts";

/** Enough to see what it is about. */
const maxNamed = 100;

/**
 * Datasets in the scope, the first hundred, that a search may not have found all pages of, because part of the index was
 * lost and is being made again. To be asked after the search, which may be what finds that it is lost.
 */
export const incompleteDatasets = (
  { metadata }: Pick<Domain, "metadata">,
  { workspaceId, datasetIds }: Pick<SearchScope, "workspaceId" | "datasetIds">,
): Promise<readonly DatasetId[]> => metadata.indices.incomplete({ workspaceId, datasetIds }, maxNamed);
