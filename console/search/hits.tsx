import type { FoundItems as Answer, FoundItem, Snippet } from "@drs/client";
import type { ReactElement } from "react";
import { Link } from "wouter";
import { PageSheet } from "../design/page-sheet.tsx";
import { Empty } from "../design/surfaces.tsx";
import { useFormats } from "../shell/formats.ts";
import { ownLink } from "../shell/drs.tsx";
import { usePreference } from "../shell/preferences.ts";
import { useMay } from "../shell/session.tsx";
import { useTexts } from "../texts/texts.tsx";
import { snippetParts } from "./snippet-parts.ts";
import { type Boxes, pictureWidth } from "./use-answer.ts";

type FoundProps = Omit<HitsProps, "items" | "isNamed"> & { readonly items: Answer };

/** The pages of an answer: likely ones first, then, below a line, the unlikely ones. */
export function Found({ items, ...shown }: FoundProps): ReactElement {
  const { search } = useTexts();
  const indexed = items.map((item, index) => ({ item, index }));
  const others = indexed.slice(items.likely);
  return (
    <div className="stack">
      {items.likely === 0 ? (
        <Empty title={search.noAnswer}>{search.noAnswerNext}</Empty>
      ) : (
        <Section items={indexed.slice(0, items.likely)} {...shown} />
      )}
      {others.length > 0 && (
        <>
          <h2 className="hits-line">{items.likely === 0 ? search.closest : search.hardly}</h2>
          <Section items={others} {...shown} />
        </>
      )}
    </div>
  );
}

type SectionProps = Omit<HitsProps, "isNamed">;

function Section({ items, ...shown }: SectionProps): ReactElement {
  const { search } = useTexts();
  const mayRead = useMay("read");
  const [grouping] = usePreference("grouping");
  if (grouping !== "document") return <Hits items={items} {...shown} isNamed />;
  const groups = Map.groupBy(items, ({ item }) => item.datasetId);
  return (
    <>
      {[...groups].map(([datasetId, group]) => (
        <section key={datasetId} className="stack">
          <h2 className="hit-group">
            <DocumentName datasetId={datasetId} of={group[0]?.item} isLink={mayRead} />
            <span className="small quiet numbers">{search.found(group.length)}</span>
          </h2>
          <Hits items={group} {...shown} isNamed={false} />
        </section>
      ))}
    </>
  );
}

interface DocumentNameProps {
  readonly datasetId: string;
  readonly of: FoundItem | undefined;
  readonly isLink: boolean;
}

function DocumentName({ datasetId, of, isLink }: DocumentNameProps): ReactElement {
  const name = of?.fileName ?? datasetId;
  return isLink ? (
    <Link className="document-link one-line" href={`/documents/${datasetId}`}>
      {name}
    </Link>
  ) : (
    <span className="one-line">{name}</span>
  );
}

/** A page with its place in the whole answer, from 0. */
interface IndexedItem {
  readonly item: FoundItem;
  readonly index: number;
}

interface HitsProps {
  readonly items: readonly IndexedItem[];
  readonly highlights: ReadonlyMap<string, Boxes>;
  /** The query string of the view; links to pages carry it, so that closing a page leads back. */
  readonly parameters: string;
  /** Called with the index of each page that is visible, or cannot be drawn. */
  readonly onShown: (index: number) => void;
  /** Whether each page shows the name of its document. */
  readonly isNamed: boolean;
}

function Hits({ items, highlights, parameters, onShown, isNamed }: HitsProps): ReactElement {
  return (
    <ol className="hits">
      {items.map(({ item, index }) => (
        <li key={item.id}>
          <Hit
            item={item}
            boxes={highlights.get(item.id) ?? []}
            parameters={parameters}
            isNamed={isNamed}
            onShown={() => onShown(index)}
          />
        </li>
      ))}
    </ol>
  );
}

interface HitProps extends Pick<HitsProps, "parameters" | "isNamed"> {
  readonly item: FoundItem;
  readonly boxes: Boxes;
  readonly onShown: () => void;
}

function Hit({ item, boxes, parameters, isNamed, onShown }: HitProps): ReactElement {
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
      {isNamed && <span className="hit-name one-line">{item.fileName}</span>}
      <span className="hit-facts small numbers">
        <span>{search.page(item.col, item.pageCount)}</span>
        <span className="hit-score" title={search.score}>
          {formats.percent(item.score)}
        </span>
      </span>
      {item.snippet && <SnippetText snippet={item.snippet} />}
    </Link>
  );
}

function SnippetText({ snippet }: { readonly snippet: Snippet }): ReactElement {
  return (
    <span className="hit-snippet small">
      {snippetParts(snippet).map(({ text, isMarked }, index) =>
        // oxlint-disable-next-line react/no-array-index-key -- the parts of one text never move
        isMarked ? <mark key={index}>{text}</mark> : <span key={index}>{text}</span>,
      )}
    </span>
  );
}

/** A placeholder for the first hits. */
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
