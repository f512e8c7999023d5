import type { FoundItem } from "@drs/client";
import type { ReactElement } from "react";
import { Link } from "wouter";
import { PageSheet } from "../design/page-sheet.tsx";
import { ownLink } from "../shell/own-link.ts";
import { useLanguage, useTexts } from "../texts/texts.tsx";
import type { Boxes } from "./use-answer.ts";

/** Pixels; the grid shows half of it on screens that have two for one. */
const pictureWidth = "512";

interface HitsProps {
  readonly items: readonly FoundItem[];
  readonly highlights: ReadonlyMap<string, Boxes>;
  /** What the address of the view says after its `?`; pages go back to it. */
  readonly parameters: string;
}

export function Hits({ items, highlights, parameters }: HitsProps): ReactElement {
  return (
    <ol className="hits">
      {items.map((item) => (
        <li key={item.id}>
          <Hit item={item} boxes={highlights.get(item.id) ?? []} parameters={parameters} />
        </li>
      ))}
    </ol>
  );
}

interface HitProps extends Pick<HitsProps, "parameters"> {
  readonly item: FoundItem;
  readonly boxes: Boxes;
}

function Hit({ item, boxes, parameters }: HitProps): ReactElement {
  const { search } = useTexts();
  const language = useLanguage();
  const score = new Intl.NumberFormat(language, { style: "percent" }).format(item.score);
  return (
    <Link className="hit" href={`/documents/${item.datasetId}/pages/${item.col}?${parameters}`}>
      <span className="hit-frame">
        <span className="hit-place sheet-frame">
          <PageSheet src={ownLink(item.share, { width: pictureWidth })} alt="" boxes={boxes} broken={search.notDrawn} />
        </span>
      </span>
      <span className="hit-name one-line">{item.fileName}</span>
      <span className="hit-facts small numbers">
        <span>{search.page(item.col, item.pageCount)}</span>
        <span className="hit-score" title={search.score}>
          {score}
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
