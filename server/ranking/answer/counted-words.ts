import type { Domain } from "../../domain/domain.ts";
import type { WorkspaceId } from "../../domain/ids.ts";
import type { PackRanking } from "../../domain/ports/pack-ranking.ts";
import type { WordsOnPages } from "../../domain/ports/question-words.ts";
import type { LexicalSpace } from "../../domain/ports/vectors.ts";
import type { CountedRanking, KeptRanking } from "./explain-pages.ts";

interface Asked {
  readonly workspaceId: WorkspaceId;
  /** The words of the query; empty: there are none to be found. */
  readonly text: string;
}

/** The rankings with the words of the question on the pages that their packs have read. */
export async function withWords(
  { vectors }: Pick<Domain, "vectors">,
  rankings: readonly KeptRanking[],
  { text, workspaceId }: Asked,
): Promise<readonly CountedRanking[]> {
  const count = async ({ pack, gathered }: KeptRanking): Promise<WordsOnPages | undefined> => {
    const space = spaceOfWords(pack);
    if (space === undefined || text === "") return undefined;
    const { candidates, reading } = gathered;
    const read = [...candidates.pages.keys()].filter((place) => reading?.pages[place] !== undefined);
    const keys = read.flatMap((place) => candidates.pages[place] ?? []);
    const counted = await vectors.countWords(space, text, keys, workspaceId);
    const pages: WordsOnPages["pages"][number][] = candidates.pages.map(() => undefined);
    for (const [at, place] of read.entries()) pages[place] = counted.pages[at];
    return { words: counted.words, pages };
  };
  return Promise.all(rankings.map(async (ranking) => ({ ...ranking, words: await count(ranking) })));
}

function spaceOfWords({ reads, spaces }: PackRanking): LexicalSpace | undefined {
  return reads?.words ?? spaces.find((space) => space.kind === "lexical");
}
