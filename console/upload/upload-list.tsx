import type { ReactElement } from "react";
import { Link } from "wouter";
import { Button, IconButton } from "../design/button.tsx";
import { FailureText, messageOf } from "../design/failure.tsx";
import { Tag } from "../design/surfaces.tsx";
import { Progress } from "../design/waiting.tsx";
import { useFormats } from "../shell/formats.ts";
import { useTexts } from "../texts/texts.tsx";
import { VirtualRows } from "../documents/virtual-rows.tsx";
import type { UploadEntry } from "./entry.ts";
import { FileButton } from "./file-buttons.tsx";
import { useUploadEntries, useUploads } from "./use-uploads.ts";

/** Pixels; the style sheet says what fits in. */
const rowHeight = 92;

/** Every upload with how far it is and what can be done with it. */
export function UploadList(): ReactElement | null {
  const { upload } = useTexts();
  const uploads = useUploads();
  const entries = useUploadEntries();
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

function UploadRow({ entry }: { readonly entry: UploadEntry }): ReactElement {
  const { upload } = useTexts();
  const { fileName, status, sentBytes, fileSize, datasetId } = entry;
  const isUnder = status !== "done" && status !== "failed";
  return (
    <div className="upload">
      <div className="upload-name">
        {datasetId === undefined ? (
          <span className="document-link one-line">{fileName}</span>
        ) : (
          <Link href={`/documents/${datasetId}`} className="document-link one-line">
            {fileName}
          </Link>
        )}
        <Tag tone={status === "failed" ? "signal" : status === "done" ? "accent" : "plain"}>
          {upload.statuses[status]}
        </Tag>
      </div>
      <div className="upload-actions">
        <Actions entry={entry} />
      </div>
      {isUnder && <Progress label={upload.of(fileName)} done={sentBytes} total={fileSize} />}
      <Facts entry={entry} />
    </div>
  );
}

function Facts({ entry }: { readonly entry: UploadEntry }): ReactElement {
  const { upload } = useTexts();
  const formats = useFormats();
  const { status, sentBytes, fileSize, bytesPerSecond, remainingMs, isAway, error, handle } = entry;
  if (status === "failed") {
    return (
      <p className="upload-facts small upload-error" title={messageOf(error)}>
        <FailureText error={error} />
      </p>
    );
  }
  const size = formats.bytes(fileSize);
  const facts = [
    status === "done" ? size : upload.sent(formats.bytes(sentBytes), size),
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
      {status !== "done" && (
        <IconButton icon="close" label={`${upload.cancel}: ${fileName}`} onClick={() => uploads.cancel(id)} />
      )}
    </>
  );
}
