import type { Dataset, MetadataValue } from "@drs/client";
import type { ReactElement, ReactNode } from "react";
import { Tag } from "../design/surfaces.tsx";
import { useFormats } from "../shell/formats.ts";
import { useTexts } from "../texts/texts.tsx";
import { useSearchable } from "./searchable.ts";

/** The properties of a document and its metadata. */
export function DocumentFacts({ dataset }: { readonly dataset: Dataset }): ReactElement {
  const { documents } = useTexts();
  const formats = useFormats();
  const isSearchable = useSearchable(dataset.id);
  const { itemCount, fileSize, fileExt, createdAt, expiresAt } = dataset;
  const fields = Object.entries(dataset.metadata);
  return (
    <div className="stack">
      <ul className="document-facts quiet numbers">
        <li>{documents.pageCount(formats.count(itemCount), itemCount === 1)}</li>
        <li>{formats.bytes(fileSize)}</li>
        <li>{fileExt.toUpperCase()}</li>
        <li>{`${documents.added} ${formats.time(createdAt)}`}</li>
        {expiresAt !== null && <li>{`${documents.expires} ${formats.time(expiresAt)}`}</li>}
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
