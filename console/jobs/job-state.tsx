import { isFinished, type Job } from "@drs/client";
import type { ReactElement } from "react";
import { Tag } from "../design/surfaces.tsx";
import { Progress } from "../design/waiting.tsx";
import { useFormats } from "../shell/formats.ts";
import { useTexts } from "../texts/texts.tsx";

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
