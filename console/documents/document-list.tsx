import type { Dataset, Job, Share } from "@drs/client";
import { type ReactElement, useRef } from "react";
import { Link } from "wouter";
import { Button } from "../design/button.tsx";
import { Skeleton } from "../design/waiting.tsx";
import { hasFailed, isWorking, useJobActions } from "../jobs/use-jobs.ts";
import { JobState } from "../jobs/job-cards.tsx";
import { useFormats } from "../shell/formats.ts";
import { useMay } from "../shell/session.tsx";
import { useTexts } from "../texts/texts.tsx";
import type { ListedDocuments } from "./use-documents.ts";
import { PagePicture, useThumbnails } from "./page-picture.tsx";
import type { Selection } from "./selection.tsx";
import { VirtualRows } from "./virtual-rows.tsx";

/** Pixels; the style sheet is made for this height. */
const rowHeight = 64;

interface DocumentListProps {
  readonly listed: ListedDocuments & { readonly count: number };
  /** Rows near the viewport, and the callback for changes. */
  readonly range: { readonly first: number; readonly last: number; readonly onRange: OnRange };
  /** Undefined if nothing can be selected. */
  readonly selection: Selection | undefined;
}

type OnRange = (first: number, last: number) => void;

/** A list that renders only the rows near the viewport. */
export function DocumentList({ listed, range, selection }: DocumentListProps): ReactElement {
  const { documents } = useTexts();
  const { count, at, jobs } = listed;
  const { first, last, onRange } = range;
  const thumbnails = useThumbnails(at, first, last);
  const lastChosen = useRef(0);
  /** With the Shift key, selects all rows from the one chosen before. */
  const choose = (row: number, isSelected: boolean, isRange: boolean): void => {
    const [from, to] = isRange ? [Math.min(row, lastChosen.current), Math.max(row, lastChosen.current)] : [row, row];
    const rows = Array.from({ length: to - from + 1 }, (_, index) => at(from + index));
    selection?.select(
      rows.filter((dataset) => dataset !== undefined),
      isSelected,
    );
    lastChosen.current = row;
  };
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
            <Row
              dataset={dataset}
              job={jobs.get(dataset.id)}
              thumbnail={thumbnails.get(dataset.id)}
              isSelected={selection?.selected.has(dataset.id)}
              onSelect={(isSelected, isRange) => choose(index, isSelected, isRange)}
            />
          );
        }}
      </VirtualRows>
    </div>
  );
}

interface RowProps {
  readonly dataset: Dataset;
  readonly job: Job | undefined;
  /** The thumbnail of its first page. */
  readonly thumbnail: Share | undefined;
  /** Undefined if it cannot be selected. */
  readonly isSelected: boolean | undefined;
  readonly onSelect: (isSelected: boolean, isRange: boolean) => void;
}

function Row({ dataset, job, thumbnail, isSelected, onSelect }: RowProps): ReactElement {
  const formats = useFormats();
  const { jobs, documents } = useTexts();
  const mayWrite = useMay("write");
  const { retry } = useJobActions();
  const { id, fileName, fileExt, fileSize, createdAt } = dataset;
  const pages = dataset.itemCount === 0 ? (job?.progress.pagesTotal ?? 0) : dataset.itemCount;
  const name = fileName === "" ? id : fileName;
  const isShown = job !== undefined && (isWorking(job) || hasFailed(job));
  return (
    <div className={isSelected === true ? "document document-selected" : "document"}>
      <span className="document-name">
        {isSelected !== undefined && (
          <label className="document-select">
            <input
              type="checkbox"
              aria-label={documents.select(name)}
              checked={isSelected}
              onChange={({ target, nativeEvent }) => onSelect(target.checked, isShifted(nativeEvent))}
            />
          </label>
        )}
        <span className="document-picture" aria-hidden="true">
          {thumbnail === undefined ? (
            <span className="document-kind">{fileExt}</span>
          ) : (
            <PagePicture share={thumbnail} />
          )}
        </span>
        <Link href={`/documents/${id}`} className="document-link one-line">
          {name}
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

/** Browsers report a change by a click event, which has the modifier keys. */
const isShifted = (event: Event): boolean => "shiftKey" in event && event.shiftKey === true;
