import type { Dataset, Share } from "@drs/client";
import { useQueries } from "@tanstack/react-query";
import { type ReactElement, useEffect, useRef } from "react";
import { ownLink, useDrs } from "../shell/drs.tsx";

/** Milliseconds; a picture that is visible for less time is not requested. */
const settleMs = 80;

/** The thumbnail of a page. Its request ends when it disappears, so that pages scrolled past do not delay visible ones. */
export function PagePicture({ share }: { readonly share: Share }): ReactElement {
  const element = useRef<HTMLImageElement>(null);
  const source = ownLink(share, { width: "256" });
  useEffect(() => {
    const image = element.current;
    if (image === null) return undefined;
    const timer = setTimeout(() => {
      image.src = source;
    }, settleMs);
    return () => {
      clearTimeout(timer);
      image.removeAttribute("src");
    };
  }, [source]);
  return <img ref={element} className="contact-picture" alt="" decoding="async" />;
}

/** Rows whose thumbnails are requested together. */
const blockRows = 25;
/** Seconds; longer than anyone looks at a list. */
const linkSeconds = 86_400;
const freshMs = (linkSeconds * 1_000) / 2;

/** Returns links to the first pages of the documents in rows `first` to `last`, by document id. */
export function useThumbnails(
  at: (row: number) => Dataset | undefined,
  first: number,
  last: number,
): ReadonlyMap<string, Share> {
  const drs = useDrs();
  const from = Math.floor(first / blockRows);
  const blocks = Array.from({ length: Math.floor(last / blockRows) - from + 1 }, (_, index) => {
    const rows = Array.from({ length: blockRows }, (_, row) => at((from + index) * blockRows + row));
    return rows.flatMap((dataset) => (dataset === undefined || dataset.itemCount === 0 ? [] : [dataset.id]));
  });
  return useQueries({
    queries: blocks.map((ids) => ({
      queryKey: ["thumbnails", ids],
      queryFn: async ({ signal }: { readonly signal: AbortSignal }) => {
        const wanted = ids.map((datasetId) => ({ datasetId, cols: 1 }));
        const query = { row: "jpg", limit: 100, expiresInSeconds: linkSeconds } as const;
        return (await drs.items.several(wanted, query, { signal })).data;
      },
      enabled: ids.length > 0,
      staleTime: freshMs,
    })),
    combine: (answers) =>
      new Map(answers.flatMap(({ data = [] }) => data.map(({ datasetId, share }) => [datasetId, share] as const))),
  });
}
