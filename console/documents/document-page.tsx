import { type Dataset, DrsError, type MetadataValue } from "@drs/client";
import { useQuery } from "@tanstack/react-query";
import { type ReactElement, type ReactNode, useMemo } from "react";
import { Link, useLocation, useParams } from "wouter";
import { Button } from "../design/button.tsx";
import { Failure } from "../design/failure.tsx";
import { textOf } from "../design/dialog.tsx";
import { Tag } from "../design/surfaces.tsx";
import { Loading } from "../design/waiting.tsx";
import { isWorking, useDocumentJobs } from "../jobs/use-jobs.ts";
import { JobCards } from "../jobs/job-cards.tsx";
import { addressOf, emptyQuestion } from "../search/question.ts";
import { useDrs } from "../shell/drs.tsx";
import { useFormats } from "../shell/formats.ts";
import { useMay } from "../shell/session.tsx";
import { useTexts } from "../texts/texts.tsx";
import { ContactSheet } from "./contact-sheet.tsx";
import { DocumentActions, useSearchable } from "./document-actions.tsx";
import { useScrollPlace } from "./virtual-rows.tsx";

/** Seconds; longer than anyone stays on the page, so that its link to the file still works. */
const linkSeconds = 86_400;

/** One document: its properties, its jobs and its pages. */
export default function DocumentPage(): ReactElement {
  const { id = "" } = useParams();
  const drs = useDrs();
  const jobs = useDocumentJobs(id);
  const { data, error, refetch } = useQuery({
    queryKey: ["datasets", "one", id],
    queryFn: async ({ signal }) => drs.datasets.get(id, { signal, expiresInSeconds: linkSeconds }),
  });
  const maySearch = useMay("search");
  useScrollPlace(id);
  const working = jobs.find(isWorking);
  const [newest] = jobs;
  const failures = working === undefined ? newest?.failures : undefined;
  const failed = useMemo(() => new Set(failures?.map(({ page }) => page)), [failures]);
  if (error instanceof DrsError && error.code === "not_found") return <Missing error={error} />;
  if (data === undefined) return error ? <Missing error={error} onRetry={() => void refetch()} /> : <Loading />;
  const pageCount = data.itemCount === 0 ? (working?.progress.pagesTotal ?? 0) : data.itemCount;
  // The job cards below show running jobs, and offer to retry failed ones.
  const isTried = working?.type === "datasets/vectorize" || newest?.status === "ERROR";
  return (
    <div className="stack">
      <title>{`${data.fileName} · drs`}</title>
      <div className="title-row">
        <h1 className="document-title">{data.fileName}</h1>
        <DocumentActions dataset={data} mayVectorize={pageCount > 0 && !isTried} />
      </div>
      <DocumentFacts dataset={data} />
      <JobCards list={jobs} />
      {maySearch && data.searchable && <DocumentSearch datasetId={id} />}
      <ContactSheet datasetId={id} pageCount={pageCount} isWorking={working !== undefined} failed={failed} />
    </div>
  );
}

interface MissingProps {
  readonly error: Error;
  readonly onRetry?: () => void;
}

function Missing({ error, onRetry }: MissingProps): ReactElement {
  const { documents } = useTexts();
  return (
    <div className="stack">
      <h1>{documents.area}</h1>
      <Failure error={error} onRetry={onRetry} />
      <p>
        <Link href="/documents">{documents.toList}</Link>
      </p>
    </div>
  );
}

/** The properties of a document and its metadata. */
function DocumentFacts({ dataset }: { readonly dataset: Dataset }): ReactElement {
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

/** Searches only this document. The answer is shown on the search page. */
function DocumentSearch({ datasetId }: { readonly datasetId: string }): ReactElement {
  const { documents, search } = useTexts();
  const [, navigate] = useLocation();
  return (
    <search>
      <form
        className="document-search"
        onSubmit={(event) => {
          event.preventDefault();
          const words = textOf(new FormData(event.currentTarget), "words");
          if (words !== "") navigate(addressOf({ ...emptyQuestion, words, datasetIds: [datasetId] }));
        }}
      >
        <input
          className="input"
          type="search"
          name="words"
          placeholder={documents.searchIn}
          aria-label={documents.searchIn}
          autoComplete="off"
          enterKeyHint="search"
        />
        <Button type="submit" icon="search">
          {search.area}
        </Button>
      </form>
    </search>
  );
}
