import type { Found as Answer, FoundItem } from "@drs/client";
import type { ReactElement } from "react";
import { Link } from "wouter";
import { Empty } from "../design/surfaces.tsx";
import { usePreference } from "../shell/preferences.ts";
import { useMay } from "../shell/session.tsx";
import { useTexts } from "../texts/texts.tsx";
import { Hits, type HitsProps } from "./hits.tsx";

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
