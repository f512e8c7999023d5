import type { FoundItem } from "@drs/client";
import type { ReactElement } from "react";
import { Link } from "wouter";
import { ownLink } from "../shell/own-link.ts";
import { useLanguage, useTexts } from "../texts/texts.tsx";

/** Pixels; drawn at up to half of it. */
const pictureWidth = "512";

export function Hits({ items }: { readonly items: readonly FoundItem[] }): ReactElement {
  return (
    <ol className="hits">
      {items.map((item) => (
        <li key={item.id}>
          <Hit item={item} />
        </li>
      ))}
    </ol>
  );
}

function Hit({ item }: { readonly item: FoundItem }): ReactElement {
  const { search } = useTexts();
  const language = useLanguage();
  const score = new Intl.NumberFormat(language, { style: "percent" }).format(item.score);
  return (
    <Link className="hit" href={`/documents/${item.datasetId}/pages/${item.col}`}>
      <span className="hit-frame">
        <img className="hit-picture" src={ownLink(item.share, { width: pictureWidth })} alt="" decoding="async" />
      </span>
      <span className="hit-name one-line">{item.fileName}</span>
      <span className="hit-facts quiet small numbers">
        {search.page(item.col, item.pageCount)} · {score}
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
        <div key={index} className="skeleton hit-frame" aria-hidden="true" />
      ))}
    </output>
  );
}
