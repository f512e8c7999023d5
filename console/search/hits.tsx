import type { FoundItem } from "@drs/client";
import type { ReactElement } from "react";
import { Link } from "wouter";
import { PageSheet } from "../design/page-sheet.tsx";
import { useFormats } from "../shell/formats.ts";
import { ownLink } from "../shell/own-link.ts";
import { useTexts } from "../texts/texts.tsx";
import { type Boxes, pictureWidth } from "./use-answer.ts";

interface HitsProps {
  readonly items: readonly FoundItem[];
  readonly highlights: ReadonlyMap<string, Boxes>;
  /** What the address of the view says after its `?`; pages go back to it. */
  readonly parameters: string;
  /** Called with the index of each page that is seen, or cannot be drawn. */
  readonly onShown: (index: number) => void;
}

export function Hits({ items, highlights, parameters, onShown }: HitsProps): ReactElement {
  return (
    <ol className="hits">
      {items.map((item, index) => (
        <li key={item.id}>
          <Hit
            item={item}
            boxes={highlights.get(item.id) ?? []}
            parameters={parameters}
            onShown={() => onShown(index)}
          />
        </li>
      ))}
    </ol>
  );
}

interface HitProps extends Pick<HitsProps, "parameters"> {
  readonly item: FoundItem;
  readonly boxes: Boxes;
  readonly onShown: () => void;
}

function Hit({ item, boxes, parameters, onShown }: HitProps): ReactElement {
  const { search } = useTexts();
  const formats = useFormats();
  return (
    <Link className="hit" href={`/documents/${item.datasetId}/pages/${item.col}?${parameters}`}>
      <span className="hit-frame">
        <span className="hit-place sheet-frame">
          <PageSheet
            src={ownLink(item.share, { width: String(pictureWidth) })}
            alt=""
            boxes={boxes}
            broken={search.notDrawn}
            onShown={onShown}
          />
        </span>
      </span>
      <span className="hit-name one-line">{item.fileName}</span>
      <span className="hit-facts small numbers">
        <span>{search.page(item.col, item.pageCount)}</span>
        <span className="hit-score" title={search.score}>
          {formats.percent(item.score)}
        </span>
      </span>
    </Link>
  );
}

/** In the place of the first hits. */
export function HitsSkeleton(): ReactElement {
  const { common } = useTexts();
  return (
    <output className="hits">
      <span className="unseen">{common.loading}</span>
      {Array.from({ length: 8 }, (_, index) => (
        <span key={index} className="skeleton hit-frame" aria-hidden="true" />
      ))}
    </output>
  );
}
