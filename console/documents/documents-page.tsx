import { type ReactElement, useCallback, useState } from "react";
import { Link } from "wouter";
import { Button } from "../design/button.tsx";
import { Failure } from "../design/failure.tsx";
import { Icon } from "../design/icon.tsx";
import { Empty } from "../design/surfaces.tsx";
import { Loading, Progress } from "../design/waiting.tsx";
import { useFormats } from "../shell/formats.ts";
import { useMay } from "../shell/session.tsx";
import { useTexts } from "../texts/texts.tsx";
import SampleButton from "../upload/sample-button.tsx";
import { UploadNotice } from "../upload/upload-row.tsx";
import { DocumentList } from "./document-list.tsx";
import { Filters } from "./filters.tsx";
import { type ListedDocuments, maxLookedAt, useDocuments, useQuestion } from "./use-documents.ts";
import { useScrollPlace } from "./virtual-rows.tsx";
import { SelectionBar, useSelection } from "./selection.tsx";

/** All documents of the workspace; files that are dropped on it are uploaded. */
export default function DocumentsPage(): ReactElement {
  const { documents } = useTexts();
  const mayWrite = useMay("write");
  const [question, change] = useQuestion();
  const [[first, last], setRange] = useState([0, 0]);
  const onRange = useCallback((from: number, to: number) => setRange([from, to]), []);
  const listed = useDocuments(question, first, last);
  const selection = useSelection(JSON.stringify(question));
  useScrollPlace("documents");
  const { count, error, retry } = listed;
  const isAsked = [question.name, question.format, question.state, question.where].some((text) => text !== "");
  return (
    <div className="stack">
      <title>{`${documents.area} · drs`}</title>
      <div className="title-row">
        <h1>{documents.area}</h1>
        <Count listed={listed} />
        {mayWrite && (
          <Link href="/upload" className="button button-primary">
            <Icon name="upload" />
            {documents.upload}
          </Link>
        )}
      </div>
      {mayWrite && <UploadNotice />}
      {(isAsked || count !== 0) && <Filters question={question} onChange={change} />}
      {error !== null && error !== undefined && <Failure error={error} onRetry={retry} />}
      {count === undefined && (error === null || error === undefined) && <Loading lines={8} />}
      {count !== undefined && count > 0 && (
        <>
          {mayWrite && <SelectionBar selection={selection} count={count} all={listed.all} />}
          <DocumentList
            listed={{ ...listed, count }}
            range={{ first, last, onRange }}
            selection={mayWrite ? selection : undefined}
          />
        </>
      )}
      {count === 0 && isAsked && listed.lookedAt === undefined && (
        <Empty
          title={documents.nothing}
          action={
            <Button onClick={() => change({ name: "", format: "", state: "", where: "" })}>{documents.clear}</Button>
          }
        >
          {documents.nothingNext}
        </Empty>
      )}
      {count === 0 && !isAsked && <NoDocuments mayWrite={mayWrite} />}
    </div>
  );
}

function Count({ listed: { count, total, lookedAt, unfinished } }: { readonly listed: ListedDocuments }): ReactElement {
  const { documents, jobs } = useTexts();
  const formats = useFormats();
  const isLimited = lookedAt !== undefined && lookedAt >= maxLookedAt;
  return (
    <output className="count quiet numbers">
      {count === undefined ? (
        <span>&nbsp;</span>
      ) : count === total ? (
        <span>{documents.count(formats.count(total), total === 1)}</span>
      ) : (
        <span>{documents.found(formats.count(count), formats.count(total))}</span>
      )}
      {unfinished > 0 && <span>{jobs.working(formats.count(unfinished))}</span>}
      {isLimited && <span>{documents.lookedAtMost(formats.count(lookedAt))}</span>}
      {lookedAt !== undefined && !isLimited && (
        <Progress
          label={documents.looking(formats.count(lookedAt), formats.count(total))}
          done={lookedAt}
          total={total}
        />
      )}
    </output>
  );
}

function NoDocuments({ mayWrite }: { readonly mayWrite: boolean }): ReactElement {
  const { documents } = useTexts();
  const action = (
    <div className="row">
      <Link href="/upload" className="button button-primary">
        {documents.upload}
      </Link>
      <SampleButton />
    </div>
  );
  return (
    <Empty title={documents.empty} action={mayWrite && action}>
      {mayWrite ? documents.emptyNext : documents.emptyReader}
    </Empty>
  );
}
