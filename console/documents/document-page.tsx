import { DrsError } from "@drs/client";
import { useQuery } from "@tanstack/react-query";
import { type ReactElement, useMemo } from "react";
import { Link, useParams } from "wouter";
import { Failure } from "../design/failure.tsx";
import { Loading } from "../design/waiting.tsx";
import { useDocumentJobs } from "../jobs/document-jobs.ts";
import { JobCards } from "../jobs/job-cards.tsx";
import { isWorking } from "../jobs/recent-jobs.ts";
import { useDrs } from "../shell/drs.tsx";
import { useMay } from "../shell/session.tsx";
import { useTexts } from "../texts/texts.tsx";
import { ContactSheet } from "./contact-sheet.tsx";
import { DocumentActions } from "./document-actions.tsx";
import { DocumentFacts } from "./document-facts.tsx";
import { DocumentSearch } from "./document-search.tsx";
import { useScrollPlace } from "./scroll.ts";

/** Seconds; the link to the file outlives a visit to the page. */
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
  useScrollPlace(id, true);
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
