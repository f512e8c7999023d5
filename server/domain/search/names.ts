import { documentKey, type PackRanking } from "../ports/pack-ranking.ts";
import type { PageHit, SearchScope, VectorStore } from "../ports/vectors.ts";
import type { QueryInSpace } from "../ports/worker.ts";
import type { FoundDocuments } from "./documents.ts";

/** What reads names, and embeds a question anew. */
export interface NameReader {
  readonly pack: Pick<PackRanking, "reads" | "leaveOut">;
  readonly vectors: Pick<VectorStore, "readTerms">;
  /** Embeds another text in the place of the question's; undefined: the question stays as it is. */
  readonly embed?: (text: string) => Promise<readonly QueryInSpace[]>;
}

interface Question {
  readonly text: string;
  readonly workspaceId: SearchScope["workspaceId"];
  /** Pages that its words find. */
  readonly found: readonly PageHit[];
}

/**
 * A name that many of the pages found share says nothing about which of them answers. One of fewer pages is found by it: what a
 * short document is called is what it is about.
 */
const manyPages = 10;

/**
 * The question without the words that name a document of many pages; undefined where it names none. All of its pages have the
 * evidence of the name already, and would be ranked by how much they speak of the document instead of by what is asked.
 */
export async function withoutNames(
  { pack: { reads, leaveOut }, vectors, embed }: NameReader,
  { named }: FoundDocuments,
  { text, workspaceId, found }: Question,
): Promise<readonly QueryInSpace[] | undefined> {
  if (named.length === 0 || reads === undefined || embed === undefined) return undefined;
  const pages = new Map<string, number>();
  for (const hit of found) pages.set(documentKey(hit), (pages.get(documentKey(hit)) ?? 0) + 1);
  const long = named.filter((row) => (pages.get(documentKey(row)) ?? 0) >= manyPages);
  if (long.length === 0) return undefined;
  const names = await vectors.readTerms(reads.documents, text, long, workspaceId);
  const rest = leaveOut(
    text,
    [...names.pages.values()].flatMap((terms) => terms.split(" ")),
  );
  return rest === text ? undefined : embed(rest);
}
