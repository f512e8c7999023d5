import { documentKey, type PackRanking } from "../../domain/ports/pack-ranking.ts";
import type { PageHit, SearchScope, VectorSearches } from "../../domain/ports/vectors.ts";
import type { QueryInSpace } from "../../domain/ports/worker.ts";
import { leaveOut } from "../parse/leave-out.ts";
import type { FoundDocuments } from "./documents.ts";

/** The dependencies of `readNames`. */
export interface NameReader {
  readonly pack: Pick<PackRanking, "reads">;
  readonly vectors: Pick<VectorSearches, "termsOf">;
  /** Embeds another text in place of the question; undefined if the question is never changed. */
  readonly embed?: (text: string) => Promise<readonly QueryInSpace[]>;
}

interface Question {
  readonly text: string;
  readonly workspaceId: SearchScope["workspaceId"];
  /** The pages found by the words of the question. */
  readonly found: readonly PageHit[];
}

/** The names of documents in a question. */
export interface ReadNames {
  /** The named documents of many pages, by `documentKey`. The question asks for pages of these documents. */
  readonly targets: ReadonlySet<string>;
  /** The question without those names; undefined if it is unchanged. */
  readonly rest: readonly QueryInSpace[] | undefined;
}

/**
 * A document has many pages if a page with this number or a higher one is found. The name of a shorter document states its
 * subject, so the document is found by its name. This is also the minimum number of pages found in all named documents together,
 * because a long document may have a word of the question in its name but another subject.
 */
const manyPages = 10;

const nothing: ReadNames = { targets: new Set(), rest: undefined };

/**
 * Finds the names of long documents in a question, and removes them. All pages of such a document already have the evidence of
 * its name, and would otherwise be ranked by how often they mention the document instead of by the question. A question names the
 * reports of several years together, so their pages are counted together.
 */
export async function readNames(
  { pack: { reads }, vectors, embed }: NameReader,
  { named }: FoundDocuments,
  { text, workspaceId, found }: Question,
): Promise<ReadNames> {
  if (named.length === 0 || reads === undefined) return nothing;
  const pages = Map.groupBy(found, documentKey);
  const long = named.filter((row) => pages.get(documentKey(row))?.some(({ page }) => page >= manyPages) === true);
  const together = long.reduce((sum, row) => sum + (pages.get(documentKey(row))?.length ?? 0), 0);
  if (together < manyPages) return nothing;
  const targets = new Set(long.map(documentKey));
  if (embed === undefined) return { targets, rest: undefined };
  const names = await vectors.termsOf(reads.documents, long, workspaceId);
  const rest = leaveOut(
    text,
    names.flatMap((terms) => terms?.split(" ") ?? []),
  );
  return { targets, rest: rest === text ? undefined : await embed(rest) };
}
