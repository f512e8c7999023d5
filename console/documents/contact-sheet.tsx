import type { Item } from "@drs/client";
import { useQueries, type UseQueryResult } from "@tanstack/react-query";
import { memo, type ReactElement, useCallback, useLayoutEffect, useRef, useState } from "react";
import { Link } from "wouter";
import { useFormats } from "../shell/formats.ts";
import { useDrs } from "../shell/drs.tsx";
import { useTexts } from "../texts/texts.tsx";
import { PagePicture } from "./page-picture.tsx";
import { VirtualRows } from "./virtual-rows.tsx";

/** The service's maximum page size. */
const batchSize = 100;
/** Seconds; longer than anyone looks at a sheet. */
const linkSeconds = 86_400;
const freshMs = (linkSeconds * 1_000) / 2;
const workingPollMs = 2_000;
/** Pixels: minimum page width, gap between pages, and height of the caption. */
const minWidth = 150;
const gap = 16;
const captionHeight = 36;
/** Height by width of the frame of each page: slightly taller than A4. */
const frameRatio = 1.42;

interface ContactSheetProps {
  readonly datasetId: string;
  readonly pageCount: number;
  /** Whether pages are still being read. */
  readonly isWorking: boolean;
  /** Numbers of pages that could not be read. */
  readonly failed: ReadonlySet<number>;
}

/** All pages of a document as thumbnails; only those near the viewport are rendered. */
export function ContactSheet({ datasetId, pageCount, isWorking, failed }: ContactSheetProps): ReactElement {
  const { documents } = useTexts();
  const element = useRef<HTMLDivElement>(null);
  const [width, setWidth] = useState(0);
  const [batches, setBatches] = useState<BatchRange>({ from: 0, to: 0 });
  useLayoutEffect(() => {
    const observer = new ResizeObserver(([entry]) => setWidth(entry?.contentRect.width ?? 0));
    if (element.current !== null) observer.observe(element.current);
    return () => observer.disconnect();
  }, []);
  const columns = Math.max(2, Math.floor((width + gap) / (minWidth + gap)));
  const cellWidth = Math.max(0, Math.floor((width - (columns - 1) * gap) / columns));
  const rowHeight = Math.round(cellWidth * frameRatio) + captionHeight + gap;
  const onRange = useCallback(
    (first: number, last: number) => {
      const from = Math.floor((first * columns) / batchSize);
      const to = Math.floor((Math.min((last + 1) * columns, Math.max(1, pageCount)) - 1) / batchSize);
      setBatches((known) => (known.from === from && known.to === to ? known : { from, to }));
    },
    [columns, pageCount],
  );
  const items = useItems({ datasetId, pageCount, isWorking }, batches);
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
            <SheetRow
              datasetId={datasetId}
              pageCount={pageCount}
              row={row}
              columns={columns}
              cellWidth={cellWidth}
              items={items}
              failed={failed}
            />
          )}
        </VirtualRows>
      )}
    </div>
  );
}

const pagesOf = (row: number, columns: number, pageCount: number): readonly number[] =>
  Array.from({ length: Math.min(columns, pageCount - row * columns) }, (_, index) => row * columns + index + 1);

type Sheet = Pick<ContactSheetProps, "datasetId" | "pageCount" | "isWorking">;

/** Indexes of batches from 0, both inclusive. */
interface BatchRange {
  readonly from: number;
  readonly to: number;
}

/** Items by page number. */
type Items = ReadonlyMap<number, Item>;

/** A stable function, so that the map is rebuilt only when an answer comes. */
const joined = (answers: readonly UseQueryResult<readonly Item[]>[]): Items =>
  new Map(answers.flatMap(({ data = [] }) => data.map((item) => [item.col, item] as const)));

/** Fetches the pictures of pages in batches. Missing ones are requested again while pages are being read. */
function useItems({ datasetId, pageCount, isWorking }: Sheet, { from, to }: BatchRange): Items {
  const drs = useDrs();
  const wanted = Array.from({ length: Math.max(0, to - from + 1) }, (_, index) => from + index);
  return useQueries({
    queries: wanted.map((batch) => ({
      queryKey: ["items", datasetId, "jpg", batch],
      queryFn: async ({ signal }: { readonly signal: AbortSignal }) => {
        const cols = `${batch * batchSize + 1}:${(batch + 1) * batchSize}`;
        const query = { row: "jpg", cols, sort: ["col"], limit: batchSize, expiresInSeconds: linkSeconds } as const;
        const { data } = await drs.items.page(datasetId, query, { signal });
        return data;
      },
      enabled: pageCount > 0,
      staleTime: freshMs,
      refetchInterval: isWorking ? workingPollMs : (false as const),
    })),
    combine: joined,
  });
}

interface SheetRowProps extends Pick<ContactSheetProps, "datasetId" | "pageCount" | "failed"> {
  readonly row: number;
  readonly columns: number;
  /** Pixels. */
  readonly cellWidth: number;
  readonly items: Items;
}

/** Memoised: while the sheet scrolls, only rows that come into view are rendered. */
const SheetRow = memo(function SheetRow(sheet: SheetRowProps): ReactElement {
  const { datasetId, pageCount, row, columns, cellWidth, items, failed } = sheet;
  return (
    <div className="contact-row" style={{ gridTemplateColumns: `repeat(${columns}, ${cellWidth}px)` }}>
      {pagesOf(row, columns, pageCount).map((page) => (
        <SheetPage
          key={page}
          href={`/documents/${datasetId}/pages/${page}`}
          page={page}
          item={items.get(page)}
          height={Math.round(cellWidth * frameRatio)}
          hasFailed={failed.has(page)}
        />
      ))}
    </div>
  );
});

interface SheetPageProps {
  readonly href: string;
  readonly page: number;
  readonly item: Item | undefined;
  /** Height of the frame in pixels. */
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
