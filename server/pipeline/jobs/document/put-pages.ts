import type { Dataset } from "../../../domain/datasets/dataset.ts";
import type { Absences } from "../../../domain/ports/pages.ts";
import type { PackRanking } from "../../../domain/ports/pack-ranking.ts";
import type { DenseRow, LexicalRow, SpaceRef, VectorStore } from "../../../domain/ports/vectors.ts";
import type { PageInSpace } from "../../../embedding/pack.ts";
import type { Outcome } from "./outcome.ts";

interface Destination {
  readonly dataset: Pick<Dataset, "id" | "workspaceId">;
  readonly pack: PackRanking;
  readonly generation: string;
}

type EmbeddedPage = Extract<Outcome, { spaces: unknown }>;

/** Writes what pages became in all spaces of the pack. */
export async function putPages(vectors: VectorStore, to: Destination, outcomes: readonly Outcome[]): Promise<void> {
  const pages = outcomes.flatMap((outcome) => ("spaces" in outcome ? [outcome] : []));
  await Promise.all(to.pack.spaces.map((space) => putSpace(vectors, to, space, pages)));
}

/** In which of the pack's spaces pages have nothing. */
export function absencesOf({ spaces }: PackRanking, outcomes: readonly Outcome[]): Absences {
  const absences = new Map<number, readonly string[]>();
  for (const outcome of outcomes) {
    if (!("spaces" in outcome)) continue;
    const absent = spaces.filter(({ name }) => !outcome.spaces.some((found) => found.space === name && hasRow(found)));
    if (absent.length > 0)
      absences.set(
        outcome.page,
        absent.map(({ name }) => name),
      );
  }
  return absences;
}

/** As the store sees it. */
const hasRow = (found: PageInSpace): boolean =>
  found.kind === "dense" ? found.vectors.length > 0 : found.words.trim() !== "";

async function putSpace(
  vectors: VectorStore,
  { dataset, generation }: Destination,
  space: SpaceRef,
  pages: readonly EmbeddedPage[],
): Promise<void> {
  const { id: datasetId, workspaceId } = dataset;
  const dense: DenseRow[] = [];
  const lexical: LexicalRow[] = [];
  for (const { page, spaces } of pages) {
    const key = { workspaceId, datasetId, generation, page };
    const found = spaces.find((candidate: PageInSpace) => candidate.space === space.name);
    if (found?.kind === "dense" && found.vectors.length > 0) {
      dense.push({ ...key, vectors: found.vectors, ...(found.pooled && { pooled: found.pooled }) });
    } else if (found?.kind === "lexical") lexical.push({ ...key, words: found.words });
  }
  if (space.kind === "dense" && dense.length > 0) await vectors.putDense(space, dense);
  if (space.kind === "lexical" && lexical.length > 0) await vectors.putLexical(space, lexical);
}
