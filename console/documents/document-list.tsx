import type { Dataset, Job } from "@drs/client";
import type { ReactElement } from "react";
import { Link } from "wouter";
import { Button } from "../design/button.tsx";
import { Skeleton } from "../design/waiting.tsx";
import { useJobActions } from "../jobs/job-actions.ts";
import { JobState } from "../jobs/job-state.tsx";
import { hasFailed, isWorking } from "../jobs/recent-jobs.ts";
import { useFormats } from "../shell/formats.ts";
import { useMay } from "../shell/session.tsx";
import { useTexts } from "../texts/texts.tsx";
import type { Listed } from "./listed.ts";
import { VirtualRows } from "./virtual-rows.tsx";

/** Pixels; the style sheet says what fits in. */
const rowHeight = 64;

interface DocumentListProps {
  readonly listed: Listed & { readonly count: number };
  readonly onRange: (first: number, last: number) => void;
}

/** A list of which only the rows near the view exist. */
export function DocumentList({ listed, onRange }: DocumentListProps): ReactElement {
  const { documents } = useTexts();
  const { count, at, jobs } = listed;
  return (
    <div className="documents">
      <div className="document document-head" aria-hidden="true">
        {[documents.name, documents.pages, documents.size, documents.added, documents.state].map((head) => (
          <span key={head}>{head}</span>
        ))}
      </div>
      <VirtualRows label={documents.area} count={count} rowHeight={rowHeight} onRange={onRange}>
        {(index) => {
          const dataset = at(index);
          return dataset === undefined ? (
            <div className="document">
              <Skeleton height="1.25rem" />
            </div>
          ) : (
            <Row dataset={dataset} job={jobs.get(dataset.id)} />
          );
        }}
      </VirtualRows>
    </div>
  );
}

interface RowProps {
  readonly dataset: Dataset;
  readonly job: Job | undefined;
}

function Row({ dataset, job }: RowProps): ReactElement {
  const formats = useFormats();
  const { jobs, documents } = useTexts();
  const mayWrite = useMay("write");
  const { retry } = useJobActions();
  const { id, fileName, fileExt, fileSize, createdAt } = dataset;
  const pages = dataset.itemCount === 0 ? (job?.progress.pagesTotal ?? 0) : dataset.itemCount;
  const isShown = job !== undefined && (isWorking(job) || hasFailed(job));
  return (
    <div className="document">
      <span className="document-name">
        <span className="document-kind small" aria-hidden="true">
          {fileExt}
        </span>
        <Link href={`/documents/${id}`} className="document-link one-line">
          {fileName === "" ? id : fileName}
        </Link>
      </span>
      <span className="document-pages numbers">
        <span className="unseen">{documents.pages} </span>
        {pages === 0 ? "–" : formats.count(pages)}
      </span>
      <span className="document-size numbers">
        <span className="unseen">{documents.size} </span>
        {fileSize === 0 ? "–" : formats.bytes(fileSize)}
      </span>
      <span className="document-added numbers">
        <span className="unseen">{documents.added} </span>
        {formats.day(createdAt)}
      </span>
      <span className="document-state">
        {isShown ? (
          <JobState job={job} />
        ) : (
          <span className="quiet small">{dataset.searchable ? documents.searchable : documents.searchableNot}</span>
        )}
        {isShown && !isWorking(job) && mayWrite && (
          <Button kind="plain" disabled={retry.isPending} onClick={() => retry.mutate(job.id)}>
            {jobs.retry}
          </Button>
        )}
      </span>
    </div>
  );
}
