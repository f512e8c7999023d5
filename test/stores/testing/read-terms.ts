import type { WorkspaceId } from "../../../server/domain/ids.ts";
import { type LexicalSpace, type PageKey, rowKey, type VectorSearches } from "../../../server/domain/ports/vectors.ts";

/** The terms of the pages that have any, by `rowKey`; separated by spaces, in the order of the page. */
export async function readTerms(
  vectors: Pick<VectorSearches, "termsOf">,
  space: LexicalSpace,
  { pages, workspaceId }: { readonly pages: readonly PageKey[]; readonly workspaceId: WorkspaceId },
): Promise<ReadonlyMap<string, string>> {
  const terms = new Map<string, string>();
  const texts = await vectors.termsOf(space, pages, workspaceId);
  for (const [at, page] of pages.entries()) {
    const text = texts[at];
    if (text !== undefined) terms.set(rowKey(page), text);
  }
  return terms;
}
