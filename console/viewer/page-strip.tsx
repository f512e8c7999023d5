import type { ReactElement } from "react";
import { PageSheet } from "../design/page-sheet.tsx";
import { ownLink } from "../shell/drs.tsx";
import { useTexts } from "../texts/texts.tsx";
import type { ViewedPage } from "./use-pages.ts";

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
