import type { Dataset, MetadataValue } from "@drs/client";
import type { ReactElement, ReactNode } from "react";
import { Tag } from "../design/surfaces.tsx";
import { countText, sizeText } from "../shell/amounts.ts";
import { useLanguage, useTexts } from "../texts/texts.tsx";
import { useSearchable } from "./searchable.ts";

/** What is known of a document, and what its owner says of it. */
export function DocumentFacts({ dataset }: { readonly dataset: Dataset }): ReactElement {
  const { documents } = useTexts();
  const language = useLanguage();
  const isSearchable = useSearchable(dataset.id);
  const { itemCount, fileSize, fileExt, createdAt, expiresAt } = dataset;
  const times = new Intl.DateTimeFormat(language, { dateStyle: "medium", timeStyle: "short" });
  const fields = Object.entries(dataset.metadata);
  return (
    <div className="stack">
      <ul className="document-facts quiet numbers">
        <li>{documents.pageCount(countText(itemCount, language), itemCount === 1)}</li>
        <li>{sizeText(fileSize, language)}</li>
        <li>{fileExt.toUpperCase()}</li>
        <li>{`${documents.added} ${times.format(createdAt)}`}</li>
        {expiresAt !== null && <li>{`${documents.expires} ${times.format(expiresAt)}`}</li>}
        <li>{isSearchable === undefined ? " " : isSearchable ? documents.searchable : documents.searchableNot}</li>
      </ul>
      {fields.length > 0 && (
        <dl className="metadata">
          {fields.map(([name, value]) => (
            <div key={name} className="metadata-field">
              <dt className="quiet">{name}</dt>
              <dd className="row">{valueOf(value)}</dd>
            </div>
          ))}
        </dl>
      )}
    </div>
  );
}

const valueOf = (value: MetadataValue | readonly MetadataValue[]): ReactNode =>
  (typeof value === "object" ? value : [value]).map((entry) => <Tag key={String(entry)}>{String(entry)}</Tag>);
