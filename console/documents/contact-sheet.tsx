import type { Item } from "@drs/client";
import { useQueries } from "@tanstack/react-query";
import { type ReactElement, useCallback, useLayoutEffect, useRef, useState } from "react";
import { Link } from "wouter";
import { useFormats } from "../shell/formats.ts";
import { useDrs } from "../shell/drs.tsx";
import { useTexts } from "../texts/texts.tsx";
import { PagePicture } from "./page-picture.tsx";
import { VirtualRows } from "./virtual-rows.tsx";

/** The service's largest answer. */
const batchSize = 100;
/** Seconds; longer than a sheet is looked at. */
const linkSeconds = 86_400;
const freshMs = (linkSeconds * 1_000) / 2;
const workingPollMs = 2_000;
/** Pixels: the least width of a page, what is between pages, and what is below each picture. */
const minWidth = 150;
const gap = 16;
const captionHeight = 36;
/** Height by width of the frame that each page is fitted into: a little more than A4 has. */
const frameRatio = 1.42;

interface ContactSheetProps {
  readonly datasetId: string;
  readonly pageCount: number;
  /** Pages are still being read. */
  readonly isWorking: boolean;
  /** Numbers of pages that could not be read. */
  readonly failed: ReadonlySet<number>;
}

/** All pages of a document as small pictures, of which only those near the view exist. */
export function ContactSheet({ datasetId, pageCount, isWorking, failed }: ContactSheetProps): ReactElement {
  const { documents } = useTexts();
  const element = useRef<HTMLDivElement>(null);
  const [width, setWidth] = useState(0);
  const [[first, last], setRange] = useState([0, 0]);
  useLayoutEffect(() => {
    const observer = new ResizeObserver(([entry]) => setWidth(entry?.contentRect.width ?? 0));
    if (element.current !== null) observer.observe(element.current);
    return () => observer.disconnect();
  }, []);
  const columns = Math.max(2, Math.floor((width + gap) / (minWidth + gap)));
  const cellWidth = Math.max(0, Math.floor((width - (columns - 1) * gap) / columns));
  const rowHeight = Math.round(cellWidth * frameRatio) + captionHeight + gap;
  const onRange = useCallback((from: number, to: number) => setRange([from, to]), []);
  const itemAt = useItems({ datasetId, pageCount, isWorking }, first * columns, (last + 1) * columns - 1);
  return (
    <div ref={element}>
      {width > 0 && (
        <VirtualRows
          label={documents.pages}
          count={Math.ceil(pageCount / columns)}
          rowHeight={rowHeight}
          overscan={2}
          onRange={onRange}
        >
          {(row) => (
            <div className="contact-row" style={{ gridTemplateColumns: `repeat(${columns}, ${cellWidth}px)` }}>
              {pagesOf(row, columns, pageCount).map((page) => (
                <SheetPage
                  key={page}
                  href={`/documents/${datasetId}/pages/${page}`}
                  page={page}
                  item={itemAt(page)}
                  height={Math.round(cellWidth * frameRatio)}
                  hasFailed={failed.has(page)}
                />
              ))}
            </div>
          )}
        </VirtualRows>
      )}
    </div>
  );
}

const pagesOf = (row: number, columns: number, pageCount: number): readonly number[] =>
  Array.from({ length: Math.min(columns, pageCount - row * columns) }, (_, index) => row * columns + index + 1);

type Sheet = Pick<ContactSheetProps, "datasetId" | "pageCount" | "isWorking">;

/** The pictures of pages, fetched in batches; what is missing is asked for again while pages are being read. */
function useItems(
  { datasetId, pageCount, isWorking }: Sheet,
  first: number,
  last: number,
): (page: number) => Item | undefined {
  const drs = useDrs();
  const from = Math.floor(first / batchSize);
  const to = Math.floor(Math.min(last, Math.max(0, pageCount - 1)) / batchSize);
  const wanted = Array.from({ length: Math.max(0, to - from + 1) }, (_, index) => from + index);
  const batches = useQueries({
    queries: wanted.map((batch) => ({
      queryKey: ["items", datasetId, "jpg", batch],
      queryFn: async ({ signal }: { readonly signal: AbortSignal }) => {
        const cols = `${batch * batchSize + 1}:${(batch + 1) * batchSize}`;
        const query = { row: "jpg", cols, sort: ["col"], limit: batchSize, expiresInSeconds: linkSeconds } as const;
        const { data } = await drs.items.page(datasetId, query, { signal });
        return new Map(data.map((item) => [item.col, item]));
      },
      enabled: pageCount > 0,
      staleTime: freshMs,
      refetchInterval: isWorking ? workingPollMs : (false as const),
    })),
  });
  return (page) => batches[Math.floor((page - 1) / batchSize) - from]?.data?.get(page);
}

interface SheetPageProps {
  readonly href: string;
  readonly page: number;
  readonly item: Item | undefined;
  /** Of the frame, pixels. */
  readonly height: number;
  readonly hasFailed: boolean;
}

function SheetPage({ href, page, item, height, hasFailed }: SheetPageProps): ReactElement {
  const { documents } = useTexts();
  const formats = useFormats();
  return (
    <Link href={href} className="contact-page">
      <span className={hasFailed ? "contact-frame contact-failed" : "contact-frame"} style={{ height }}>
        {item !== undefined && <PagePicture share={item.share} />}
        {item === undefined && hasFailed && <span className="small">{documents.pageFailed}</span>}
      </span>
      <span className="contact-number small quiet numbers">{documents.page(formats.count(page))}</span>
    </Link>
  );
}
