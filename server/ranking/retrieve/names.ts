import { documentKey, type PackRanking } from "../../domain/ports/pack-ranking.ts";
import type { PageHit, SearchScope, VectorSearches } from "../../domain/ports/vectors.ts";
import type { QueryInSpace } from "../../domain/ports/worker.ts";
import { leaveOut } from "../parse/leave-out.ts";
import type { FoundDocuments } from "./documents.ts";

/** What reads names, and embeds a question anew. */
export interface NameReader {
  readonly pack: Pick<PackRanking, "reads">;
  readonly vectors: Pick<VectorSearches, "termsOf">;
  /** Embeds another text in the place of the question's; undefined: the question stays as it is. */
  readonly embed?: (text: string) => Promise<readonly QueryInSpace[]>;
}

interface Question {
  readonly text: string;
  readonly workspaceId: SearchScope["workspaceId"];
  /** Pages that its words find. */
  readonly found: readonly PageHit[];
}

/** What the names in a question say. */
export interface ReadNames {
  /** The documents of many pages that are named, by `documentKey`: their pages are meant. */
  readonly meant: ReadonlySet<string>;
  /** The question without those names; undefined: it stays as it is. */
  readonly rest: readonly QueryInSpace[] | undefined;
}

/**
 * A document has many pages if one so far down, or further, is found. What a shorter one is called is what it is about, and it is
 * found by its name. Of all that are named so many pages have to be found together: a long document may have a word of the
 * question in its name and be about something else.
 */
const manyPages = 10;

const nothing: ReadNames = { meant: new Set(), rest: undefined };

/**
 * Reads the names of long documents, and leaves them out of the question. All pages of such a document have the evidence of its
 * name already, and would be ranked by how much they speak of the document instead of by what is asked. Reports of several years
 * are named together, and share what is found.
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
  const meant = new Set(long.map(documentKey));
  if (embed === undefined) return { meant, rest: undefined };
  const names = await vectors.termsOf(reads.documents, long, workspaceId);
  const rest = leaveOut(
    text,
    names.flatMap((terms) => terms?.split(" ") ?? []),
  );
  return { meant, rest: rest === text ? undefined : await embed(rest) };
}
