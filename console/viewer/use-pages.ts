import type { Item } from "@drs/client";
import { useQuery, type UseQueryResult } from "@tanstack/react-query";
import { useDrs } from "../shell/drs.tsx";

/** A page with links to its picture and its PDF. */
export interface ViewedPage {
  readonly number: number;
  readonly fileName: string;
  readonly pageCount: number;
  readonly picture: Item;
  readonly pdf: Item | undefined;
}

/** Pages are requested in blocks, so that turning to the next page usually needs no request. */
const blockPages = 12;
/** Less than the ten minutes that links work for. */
const freshMs = 300_000;

/** Fetches the block of pages that contains a page, in order. */
export function usePages(datasetId: string, page: number): UseQueryResult<readonly ViewedPage[]> {
  const drs = useDrs();
  const first = page - ((page - 1) % blockPages);
  return useQuery({
    queryKey: ["pages", datasetId, first],
    queryFn: async ({ signal }) => {
      const query = { cols: `${first}:${first + blockPages - 1}`, sort: ["col"], limit: 100 };
      const { data } = await drs.items.page(datasetId, query, { signal });
      return data
        .filter(({ row }) => row === "jpg")
        .map((picture) => ({
          number: picture.col,
          fileName: picture.fileName,
          pageCount: picture.pageCount,
          picture,
          pdf: data.find(({ row, col }) => row === "pdf" && col === picture.col),
        }));
    },
    staleTime: freshMs,
    gcTime: freshMs,
  });
}
