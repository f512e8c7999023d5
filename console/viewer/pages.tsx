import type { Item } from "@drs/client";
import { useQuery, type UseQueryResult } from "@tanstack/react-query";
import type { ReactElement } from "react";
import { PageSheet } from "../design/page-sheet.tsx";
import { ownLink, useDrs } from "../shell/drs.tsx";
import { useTexts } from "../texts/texts.tsx";

interface PageStripProps {
  readonly pages: readonly ViewedPage[];
  readonly current: number;
  readonly turnTo: (page: number) => void;
}

/** Thumbnails of the pages around the shown one. */
export function PageStrip({ pages, current, turnTo }: PageStripProps): ReactElement | null {
  const { viewer } = useTexts();
  if (pages.length < 2) return null;
  return (
    <nav className="strip" aria-label={viewer.pages}>
      {pages.map(({ number, fileName, picture }) => (
        <button
          key={number}
          ref={number === current ? scrollTo : null}
          type="button"
          className="strip-page"
          aria-label={viewer.title(fileName, number)}
          aria-current={number === current ? "page" : undefined}
          onClick={() => turnTo(number)}
        >
          <span className="strip-frame sheet-frame">
            <PageSheet src={ownLink(picture.share, { width: "256" })} alt="" broken="" />
          </span>
          <span className="small numbers">{number}</span>
        </button>
      ))}
    </nav>
  );
}

function scrollTo(shown: HTMLButtonElement | null): void {
  shown?.scrollIntoView({ block: "nearest", inline: "center" });
}

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
