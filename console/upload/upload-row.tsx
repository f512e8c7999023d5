import { DrsError, type Job } from "@drs/client";
import { useQuery } from "@tanstack/react-query";
import type { ReactElement, ReactNode } from "react";
import { Link } from "wouter";
import { Button, IconButton } from "../design/button.tsx";
import { FailureText } from "../design/failure.tsx";
import { Tag } from "../design/surfaces.tsx";
import { Progress } from "../design/waiting.tsx";
import { JobState, useStage } from "../jobs/job-cards.tsx";
import { hasFailed, isWorking, useJobOf } from "../jobs/use-jobs.ts";
import { useDrs } from "../shell/drs.tsx";
import { useFormats } from "../shell/formats.ts";
import { useTexts } from "../texts/texts.tsx";
import { errorOf, type UploadEntry } from "./entry.ts";
import { FileButton } from "./file-buttons.tsx";
import { useUploadEntries, useUploads } from "./use-uploads.ts";
import { VirtualRows } from "../documents/virtual-rows.tsx";

/** An upload, from its first byte to the outcome of its job. */
function UploadRow({ entry }: { readonly entry: UploadEntry }): ReactElement {
  const { id, datasetId } = entry.job ?? {};
  return id === undefined || datasetId === undefined ? (
    <Sending entry={entry} />
  ) : (
    <Stored entry={entry} jobId={id} datasetId={datasetId} />
  );
}

function Sending({ entry }: { readonly entry: UploadEntry }): ReactElement {
  const { upload } = useTexts();
  const { fileName, status, sentBytes, fileSize, failure } = entry;
  const isOver = failure !== undefined;
  return (
    <Row
      name={<span className="document-link one-line">{fileName}</span>}
      state={<Tag tone={isOver ? "signal" : "plain"}>{upload.statuses[status]}</Tag>}
      actions={<Actions entry={entry} />}
      progress={!isOver && <Progress label={upload.of(fileName)} done={sentBytes} total={fileSize} />}
    >
      {isOver ? (
        <Reason>
          <FailureText error={errorOf(failure)} />
        </Reason>
      ) : (
        <Facts entry={entry} />
      )}
    </Row>
  );
}

interface StoredProps {
  readonly entry: UploadEntry;
  readonly jobId: string;
  readonly datasetId: string;
}

/** An upload whose document is stored, or has been deleted since, with its job. */
function Stored({ entry: { fileName, fileSize }, jobId, datasetId }: StoredProps): ReactElement {
  const { upload } = useTexts();
  const formats = useFormats();
  const job = useJobOf(jobId, datasetId);
  const isDeleted = useIsDeleted(datasetId);
  const name = isDeleted ? (
    <span className="document-link one-line">{fileName}</span>
  ) : (
    <Link href={`/documents/${datasetId}`} className="document-link one-line">
      {fileName}
    </Link>
  );
  const size = <p className="upload-facts small quiet numbers">{formats.bytes(fileSize)}</p>;
  if (isDeleted) return <Row name={name} state={<Tag>{upload.deleted}</Tag>} children={size} />;
  if (job === undefined) return <Row name={name} state={<Tag>{upload.statuses.done}</Tag>} children={size} />;
  if (isWorking(job)) return <Working name={name} job={job} children={size} />;
  return (
    <Row name={name} state={<JobState job={job} />}>
      {hasFailed(job) ? (
        <Reason>
          <JobReason job={job} />
        </Reason>
      ) : (
        size
      )}
    </Row>
  );
}

/** Whether the document was deleted; its job can still be read then. */
function useIsDeleted(datasetId: string): boolean {
  const drs = useDrs();
  const { error } = useQuery({
    queryKey: ["datasets", "stored", datasetId],
    queryFn: async ({ signal }) => (await drs.datasets.get(datasetId, { signal })).id,
    staleTime: 30_000,
  });
  return error instanceof DrsError && error.code === "not_found";
}

function Working({ job, ...row }: Pick<RowProps, "name" | "children"> & { readonly job: Job }): ReactElement {
  const { text, done, total } = useStage(job);
  return <Row {...row} state={<Tag>{text}</Tag>} progress={<Progress label={text} done={done} total={total} />} />;
}

function JobReason({ job: { statusText, failures } }: { readonly job: Job }): ReactNode {
  const { jobs } = useTexts();
  const formats = useFormats();
  const [first] = failures;
  if (statusText !== null && statusText !== "") return statusText;
  return first === undefined ? "" : `${jobs.page(formats.count(first.page))}: ${first.reason}`;
}

interface RowProps {
  readonly name: ReactNode;
  readonly state?: ReactNode;
  readonly actions?: ReactNode;
  readonly progress?: ReactNode;
  /** A line of facts, or the reason of a failure. */
  readonly children: ReactNode;
}

function Row({ name, state, actions, progress, children }: RowProps): ReactElement {
  return (
    <div className="upload">
      <div className="upload-name">
        {name}
        {state}
      </div>
      <div className="upload-actions">{actions}</div>
      {progress}
      {children}
    </div>
  );
}

const Reason = ({ children }: { readonly children: ReactNode }): ReactElement => (
  <p className="upload-facts small upload-error">{children}</p>
);

function Facts({ entry }: { readonly entry: UploadEntry }): ReactElement {
  const { upload } = useTexts();
  const formats = useFormats();
  const { status, sentBytes, fileSize, bytesPerSecond, remainingMs, isAway, handle } = entry;
  const facts = [
    upload.sent(formats.bytes(sentBytes), formats.bytes(fileSize)),
    ...(bytesPerSecond > 0 ? [upload.rate(formats.bytes(bytesPerSecond))] : []),
    ...(remainingMs !== undefined && remainingMs > 0
      ? [upload.left(formats.duration(Math.max(remainingMs, 1_000)))]
      : []),
    ...(isAway ? [upload.away] : []),
    ...(status === "stopped" && handle === undefined ? [upload.stoppedFile] : []),
  ];
  return <p className="upload-facts small quiet numbers">{facts.join(" · ")}</p>;
}

function Actions({ entry: { id, status, fileName, handle } }: { readonly entry: UploadEntry }): ReactElement {
  const { upload } = useTexts();
  const uploads = useUploads();
  const isStopped = status === "stopped";
  return (
    <>
      {(status === "sending" || status === "waiting") && (
        <Button onClick={() => uploads.pause(id)}>{upload.pause}</Button>
      )}
      {isStopped && handle === undefined && <FileButton label={upload.chooseAgain} />}
      {(status === "paused" ||
        (isStopped && handle !== undefined) ||
        status === "failed" ||
        status === "elsewhere") && (
        <Button onClick={() => void uploads.resume(id)}>{status === "failed" ? upload.retry : upload.resume}</Button>
      )}
      <IconButton icon="close" label={`${upload.cancel}: ${fileName}`} onClick={() => uploads.cancel(id)} />
    </>
  );
}

/** Pixels; the style sheet is made for this height. */
const rowHeight = 92;

/** Uploads, each with its progress, its job and its actions. */
export function UploadList({ entries }: { readonly entries: readonly UploadEntry[] }): ReactElement | null {
  const { upload } = useTexts();
  const uploads = useUploads();
  if (entries.length === 0) return null;
  return (
    <section className="stack">
      <div className="title-row">
        <h2>{upload.list}</h2>
        {entries.some(({ status }) => status === "done") && (
          <Button kind="plain" onClick={() => uploads.clear()}>
            {upload.clear}
          </Button>
        )}
      </div>
      <div className="documents">
        <VirtualRows label={upload.list} count={entries.length} rowHeight={rowHeight}>
          {(index) => {
            const entry = entries[index];
            return entry && <UploadRow key={entry.id} entry={entry} />;
          }}
        </VirtualRows>
      </div>
    </section>
  );
}

/** Unfinished uploads, shown above the list of documents, which has the finished ones. */
export function UploadNotice(): ReactElement | null {
  return <UploadList entries={useUploadEntries().filter(({ status }) => status !== "done")} />;
}
