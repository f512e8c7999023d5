import type { Features, IndexOf } from "../../../domain/ports/features.ts";
import type { SpaceRef, StoredRow, VectorStore } from "../../../domain/ports/vectors.ts";

/** Writes features into the index. A page that has no words in a space loses the row that it may have had there. */
export async function putRows(
  vectors: Pick<VectorStore, "putRows">,
  spaces: readonly SpaceRef[],
  { pages, rows }: Features,
  index: IndexOf,
): Promise<void> {
  await Promise.all(
    spaces.map((space) => {
      const found = rows.get(space.name) ?? [];
      if (space.kind === "dense") return vectors.putRows(space, found);
      const there = new Set(found.map(({ page }) => page));
      const none = pages.flatMap((page): StoredRow[] => (there.has(page) ? [] : [{ ...index, page, terms: "" }]));
      return vectors.putRows(space, [...found, ...none]);
    }),
  );
}
