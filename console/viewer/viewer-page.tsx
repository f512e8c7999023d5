import type { FoundItem } from "@drs/client";
import { type KeyboardEvent, type ReactElement, useEffect, useLayoutEffect, useRef, useState } from "react";
import { useLocation, useParams, useSearchParams } from "wouter";
import { IconButton } from "../design/button.tsx";
import { Failure } from "../design/failure.tsx";
import { PageSheet } from "../design/page-sheet.tsx";
import { Empty } from "../design/surfaces.tsx";
import { Loading } from "../design/waiting.tsx";
import { addressOf, isAsked, readQuestion } from "../search/question.ts";
import { type Boxes, firstHits, useAnswer, useHighlights } from "../search/use-answer.ts";
import { ownLink } from "../shell/drs.tsx";
import { Toasts } from "../shell/toasts.tsx";
import { useTexts } from "../texts/texts.tsx";
import { hitsAround } from "./hits-around.ts";
import { PageActions } from "./page-actions.tsx";
import { PageStrip, usePages, type ViewedPage } from "./pages.tsx";

/** Zoom factors; 1 fits the whole page. */
const zooms = [1, 1.5, 2, 3, 4] as const;
/** Pixels. */
const pictureWidth = "1568";
const largePictureWidth = "2000";

/**
 * Shows one page of a document over everything else, fitted or zoomed. Closing it leads back to the answer that found it, or to
 * its document.
 */
export default function ViewerPage(): ReactElement {
  const { viewer } = useTexts();
  const { id = "", page = "" } = useParams();
  const number = Number(page);
  const [, navigate] = useLocation();
  const [parameters] = useSearchParams();
  const question = readQuestion(parameters);
  const pages = usePages(id, Number.isInteger(number) && number > 0 ? number : 1);
  const shown = pages.data?.find((candidate) => candidate.number === number);
  const [zoom, setZoom] = useState(0);
  const dialog = useModal();

  const close = (): void => navigate(isAsked(question) ? addressOf(question) : `/documents/${id}`);
  const turnTo = (wanted: number): void => {
    if (shown === undefined || wanted < 1 || wanted > shown.pageCount) return;
    navigate(`/documents/${id}/pages/${wanted}?${parameters.toString()}`, { replace: true });
  };
  const zoomTo = (wanted: number): void => setZoom(Math.max(0, Math.min(zooms.length - 1, wanted)));
  const toHit = (hit: FoundItem | undefined): (() => void) | undefined =>
    hit && (() => navigate(`/documents/${hit.datasetId}/pages/${hit.col}?${parameters.toString()}`, { replace: true }));
  const { data: answer } = useAnswer(question, firstHits);
  const hits = hitsAround(answer ?? [], answer?.likely ?? 0, { datasetId: id, col: number });
  const [toPreviousHit, toNextHit] = [toHit(hits.previous), toHit(hits.next)];
  const onKeyDown = useViewerKeys({ number, zoom, turnTo, zoomTo, toNextHit, toPreviousHit });
  const boxes = useHighlights(question, firstHits, shown !== undefined).get(shown?.picture.id ?? "") ?? [];
  const isMissing = pages.data !== undefined && shown === undefined;

  return (
    <dialog
      ref={dialog}
      className="viewer"
      tabIndex={-1}
      aria-label={shown === undefined ? viewer.missing : viewer.title(shown.fileName, number)}
      onKeyDown={onKeyDown}
      onCancel={(event) => {
        event.preventDefault();
        close();
      }}
    >
      {shown && <title>{`${viewer.title(shown.fileName, number)} · drs`}</title>}
      <ViewerHeader
        datasetId={id}
        page={shown}
        isLoading={pages.isPending}
        isMissing={isMissing}
        hits={{ index: hits.index, count: hits.count, toPrevious: toPreviousHit, toNext: toNextHit }}
        zoom={zoom}
        zoomTo={zoomTo}
        onClose={close}
      />
      {pages.error && <Failure error={pages.error} onRetry={() => void pages.refetch()} />}
      {pages.isPending && <Loading />}
      {isMissing && (
        <Empty title={viewer.missing} isAll>
          {viewer.missingNext}
        </Empty>
      )}
      {shown && <Stage page={shown} factor={zooms[zoom] ?? 1} boxes={boxes} turnTo={turnTo} />}
      {shown && pages.data && <PageStrip pages={pages.data} current={number} turnTo={turnTo} />}
      <Toasts />
      {shown && <Ahead pages={pages.data ?? []} number={number} />}
    </dialog>
  );
}

interface ViewerHeaderProps {
  readonly datasetId: string;
  readonly page: ViewedPage | undefined;
  readonly isLoading: boolean;
  readonly isMissing: boolean;
  readonly hits: {
    /** The index of the shown page, from 0; undefined if it is not a hit. */
    readonly index: number | undefined;
    readonly count: number;
    readonly toPrevious: (() => void) | undefined;
    readonly toNext: (() => void) | undefined;
  };
  /** An index of `zooms`. */
  readonly zoom: number;
  readonly zoomTo: (zoom: number) => void;
  readonly onClose: () => void;
}

function ViewerHeader(props: ViewerHeaderProps): ReactElement {
  const { datasetId, page, isLoading, isMissing, hits, zoom, zoomTo, onClose } = props;
  const { viewer, common } = useTexts();
  return (
    <header className="viewer-top">
      {isMissing ? (
        <span className="viewer-name" />
      ) : (
        <h1 className="viewer-name one-line">{page?.fileName ?? (isLoading ? common.loading : viewer.missing)}</h1>
      )}
      {page && (
        <>
          <span className="quiet numbers">{viewer.of(page.number, page.pageCount)}</span>
          {hits.count > 0 && (
            <div className="viewer-hits">
              <IconButton icon="up" label={viewer.previousHit} disabled={!hits.toPrevious} onClick={hits.toPrevious} />
              <span className="quiet small numbers one-line">{viewer.hit(hits.index, hits.count)}</span>
              <IconButton icon="down" label={viewer.nextHit} disabled={!hits.toNext} onClick={hits.toNext} />
            </div>
          )}
          <div className="viewer-tools">
            <IconButton icon="minus" label={viewer.zoomOut} disabled={zoom === 0} onClick={() => zoomTo(zoom - 1)} />
            <IconButton
              icon="plus"
              label={viewer.zoomIn}
              disabled={zoom === zooms.length - 1}
              onClick={() => zoomTo(zoom + 1)}
            />
            <PageActions datasetId={datasetId} page={page} />
          </div>
        </>
      )}
      <IconButton icon="close" label={viewer.close} onClick={onClose} />
    </header>
  );
}

interface StageProps {
  readonly page: ViewedPage;
  /** The zoom factor. */
  readonly factor: number;
  readonly boxes: Boxes;
  readonly turnTo: (page: number) => void;
}

/** The page, with buttons to turn to the adjacent ones. */
function Stage({ page: { number, fileName, pageCount, picture }, factor, boxes, turnTo }: StageProps): ReactElement {
  const { viewer } = useTexts();
  const percent = `${factor * 100}%`;
  return (
    <div className="viewer-middle">
      <IconButton icon="left" label={viewer.previous} disabled={number === 1} onClick={() => turnTo(number - 1)} />
      {/* oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- scrollable content must be reachable by keyboard */}
      <section className="viewer-stage" aria-label={viewer.title(fileName, number)} tabIndex={0}>
        <div className="sheet-frame" style={{ width: percent, height: percent }}>
          <PageSheet
            key={picture.id}
            src={ownLink(picture.share, { width: factor > 1.5 ? largePictureWidth : pictureWidth })}
            alt={viewer.title(fileName, number)}
            boxes={boxes}
            broken={viewer.missing}
          />
        </div>
      </section>
      <IconButton icon="right" label={viewer.next} disabled={number === pageCount} onClick={() => turnTo(number + 1)} />
    </div>
  );
}

/** Opens the dialog while it is rendered, and closes it while still in the document, so that the focus returns. */
function useModal(): { readonly current: HTMLDialogElement | null } {
  const element = useRef<HTMLDialogElement>(null);
  useLayoutEffect(() => {
    const dialog = element.current;
    if (dialog?.open === false) dialog.showModal();
    // Otherwise the browser would focus the first button.
    dialog?.focus();
    return () => dialog?.close();
  }, []);
  return element;
}

/** Preloads the pictures of the adjacent pages. */
function Ahead({ pages, number }: { readonly pages: readonly ViewedPage[]; readonly number: number }): null {
  useEffect(() => {
    for (const page of pages) {
      if (Math.abs(page.number - number) !== 1) continue;
      new Image().src = ownLink(page.picture.share, { width: pictureWidth });
    }
  }, [pages, number]);
  return null;
}

interface ViewerState {
  readonly number: number;
  /** 0 shows the whole page. */
  readonly zoom: number;
  readonly turnTo: (page: number) => void;
  readonly zoomTo: (zoom: number) => void;
  /** Undefined if there is none. */
  readonly toNextHit: (() => void) | undefined;
  readonly toPreviousHit: (() => void) | undefined;
}

/** Handles the keys of the viewer. Arrows turn pages while the whole page is shown; when zoomed, the browser scrolls by them. */
function useViewerKeys(state: ViewerState): (event: KeyboardEvent) => void {
  const { number, zoom, turnTo, zoomTo, toNextHit, toPreviousHit } = state;
  const actions: Readonly<Record<string, () => void>> = {
    ...(zoom === 0 && {
      ArrowLeft: () => turnTo(number - 1),
      ArrowRight: () => turnTo(number + 1),
    }),
    PageUp: () => turnTo(number - 1),
    PageDown: () => turnTo(number + 1),
    "+": () => zoomTo(zoom + 1),
    "=": () => zoomTo(zoom + 1),
    "-": () => zoomTo(zoom - 1),
    "0": () => zoomTo(0),
    ...(toNextHit && { n: toNextHit }),
    ...(toPreviousHit && { p: toPreviousHit }),
  };
  return (event) => {
    const action = actions[event.key];
    if (action === undefined || event.ctrlKey || event.metaKey || event.altKey) return;
    if (event.target instanceof HTMLInputElement) return;
    event.preventDefault();
    action();
  };
}
