import type { Domain } from "../../domain/domain.ts";
import { type DatasetItem, itemId } from "../../domain/items/item.ts";

/**
 * For each found item, the items of up to `reach` pages before and after it, in page order and in the same rendition if it
 * exists.
 */
export async function neighboursOf(
  { metadata }: Pick<Domain, "metadata">,
  found: readonly DatasetItem[],
  reach: number,
): Promise<readonly (readonly DatasetItem[])[]> {
  const [first] = found;
  if (first === undefined || reach === 0) return found.map(() => []);
  const around = found.map((item) => pagesAround(item, reach).map((page) => ({ ...refOf(item), page })));
  const items = await metadata.pages.getItems(around.flat(), first.row);
  const createdAt = new Map(items.map((item) => [itemId(item), item.createdAt]));
  return around.map((refs) =>
    refs.flatMap((ref) => {
      const id = itemId(ref);
      const at = createdAt.get(id);
      return at === undefined ? [] : [{ ...ref, id, createdAt: at }];
    }),
  );
}

const refOf = ({ datasetId, publicDatasetId, row, fileName, pageCount, datasetMetadata }: DatasetItem) => ({
  datasetId,
  publicDatasetId,
  row,
  fileName,
  pageCount,
  datasetMetadata,
});

function pagesAround({ page, pageCount }: DatasetItem, reach: number): readonly number[] {
  const first = Math.max(1, page - reach);
  const last = Math.min(pageCount, page + reach);
  return Array.from({ length: last - first + 1 }, (_, index) => first + index).filter((other) => other !== page);
}
