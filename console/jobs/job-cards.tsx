import { isFinished, type Job } from "@drs/client";
import type { ReactElement } from "react";
import { Button } from "../design/button.tsx";
import { useFormats } from "../shell/formats.ts";
import { useMay } from "../shell/session.tsx";
import { useTexts } from "../texts/texts.tsx";
import { hasFailed, useJobActions } from "./use-jobs.ts";
import { Tag } from "../design/surfaces.tsx";
import { Progress } from "../design/waiting.tsx";

/** The jobs of a document that are running, have failed or have lost content. Renders nothing if all went well. */
export function JobCards({ list }: { readonly list: readonly Job[] }): ReactElement | null {
  const { jobs } = useTexts();
  const [newest] = list;
  const shown = list.filter(
    (job) => !isFinished(job) || (job === newest && (hasFailed(job) || job.warnings.length > 0)),
  );
  if (shown.length === 0) return null;
  return (
    <section className="stack" aria-label={jobs.title}>
      {shown.map((job) => (
        <JobCard key={job.id} job={job} />
      ))}
    </section>
  );
}

function JobCard({ job }: { readonly job: Job }): ReactElement {
  const { jobs } = useTexts();
  const mayWrite = useMay("write");
  const { retry, stop } = useJobActions();
  const isOver = isFinished(job);
  return (
    <div className={isOver && hasFailed(job) ? "card stack job-failed" : "card stack"}>
      <div className="job-head">
        <h2 className="job-title">{job.type === "datasets/vectorize" ? jobs.vectorize : jobs.extract}</h2>
        <JobState job={job} />
        {mayWrite &&
          (isOver ? (
            hasFailed(job) && (
              <Button disabled={retry.isPending} onClick={() => retry.mutate(job.id)}>
                {jobs.retry}
              </Button>
            )
          ) : (
            <Button kind="danger" disabled={stop.isPending} onClick={() => stop.mutate(job.id)}>
              {jobs.stop}
            </Button>
          ))}
      </div>
      {job.statusText !== null && job.statusText !== "" && <p>{job.statusText}</p>}
      {job.failures.length > 0 && <FailedPages job={job} />}
      {isOver && job.warnings.length > 0 && <Losses job={job} />}
    </div>
  );
}

function FailedPages({ job: { failures } }: { readonly job: Job }): ReactElement {
  const { jobs } = useTexts();
  const formats = useFormats();
  return (
    <>
      <p className="quiet">{jobs.failedPagesAbout}</p>
      {/* oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- scrollable content must be reachable by keyboard */}
      <ul className="failed-pages" aria-label={jobs.failedPages(formats.count(failures.length))} tabIndex={0}>
        {failures.map(({ page, reason }) => (
          <li key={page}>
            <strong className="numbers">{jobs.page(formats.count(page))}</strong>
            <span>{reason}</span>
          </li>
        ))}
      </ul>
    </>
  );
}

/** Warnings about content that the pages do not show. */
function Losses({ job: { warnings } }: { readonly job: Job }): ReactElement {
  const { jobs } = useTexts();
  const formats = useFormats();
  return (
    <>
      <p className="quiet">{jobs.lossesAbout}</p>
      {/* oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- scrollable content must be reachable by keyboard */}
      <ul className="failed-pages" aria-label={jobs.losses(formats.count(warnings.length))} tabIndex={0}>
        {warnings.map(({ code, page, message }) => (
          <li key={`${code} ${page} ${message}`}>
            <strong className="numbers">{page === undefined ? jobs.document : jobs.page(formats.count(page))}</strong>
            <span>{message}</span>
          </li>
        ))}
      </ul>
    </>
  );
}

/** The state of a job: its stage and progress, or its outcome. */
export function JobState({ job }: { readonly job: Job }): ReactElement {
  const { jobs, documents } = useTexts();
  const formats = useFormats();
  if (!isFinished(job)) return <Stage job={job} />;
  if (job.canceledAt !== null) return <Tag>{jobs.cancelled}</Tag>;
  if (job.status === "ERROR") return <Tag tone="signal">{jobs.failed}</Tag>;
  if (job.failures.length > 0) {
    return <Tag tone="signal">{jobs.failedPages(formats.count(job.failures.length))}</Tag>;
  }
  if (job.warnings.length > 0) return <Tag tone="accent">{jobs.losses(formats.count(job.warnings.length))}</Tag>;
  return <Tag>{job.type === "datasets/vectorize" ? documents.searchable : jobs.stages.done}</Tag>;
}

function Stage({ job }: { readonly job: Job }): ReactElement {
  const { text, done, total } = useStage(job);
  return (
    <span className="job-stage">
      <span className="small numbers one-line">{text}</span>
      {total > 0 && <Progress label={text} done={done} total={total} />}
    </span>
  );
}

/** Returns the stage of an unfinished job. `total` is 0 if there is nothing to count. */
export function useStage({ progress }: Job): { readonly text: string; readonly done: number; readonly total: number } {
  const { jobs } = useTexts();
  const formats = useFormats();
  const { stage, pagesDone, pagesTotal, bytesDone = 0, bytesTotal = 0 } = progress;
  const name = Object.entries(jobs.stages).find(([known]) => known === stage)?.[1] ?? stage;
  const isFetching = stage === "fetch";
  const [done, total] = isFetching ? [bytesDone, bytesTotal] : [pagesDone, pagesTotal];
  const write = isFetching ? formats.bytes : formats.count;
  if (total === 0 || stage === "queue") return { text: name, done: 0, total: 0 };
  return { text: jobs.of(name, write(done), write(total)), done, total };
}
