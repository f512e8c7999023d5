import { useQuery } from "@tanstack/react-query";
import { lazy, type ReactElement, Suspense, useState } from "react";
import { Link, useSearchParams } from "wouter";
import { Button } from "../design/button.tsx";
import { Failure } from "../design/failure.tsx";
import { Empty } from "../design/surfaces.tsx";
import { useDrs } from "../shell/drs.tsx";
import { useFormats } from "../shell/formats.ts";
import { usePreference } from "../shell/preferences.ts";
import { useMay } from "../shell/session.tsx";
import { useTexts } from "../texts/texts.tsx";
import { Filters } from "./filters.tsx";
import { Found, HitsSkeleton } from "./hits.tsx";
import { isAsked, type Question, readQuestion } from "./question.ts";
import { useKeepSearch, useRecentSearches } from "./recent-searches.ts";
import { firstHits, PictureMissing, useAnswer, useHighlights, useSeen } from "./use-answer.ts";

/** Loaded later: the first view needs no upload code. */
const SampleButton = lazy(() => import("../upload/sample-button.tsx"));

/** The service's maximum number of hits. */
const mostHits = 100;

/** The answer to the query in the address, or the start view if there is none. */
export function SearchPage(): ReactElement {
  const [parameters] = useSearchParams();
  const question = readQuestion(parameters);
  return isAsked(question) ? (
    <Answer question={question} parameters={parameters.toString()} />
  ) : (
    <Begin question={question} />
  );
}

interface AnswerProps {
  readonly question: Question;
  readonly parameters: string;
}

function Answer({ question, parameters }: AnswerProps): ReactElement {
  const { search } = useTexts();
  const [{ asked, limit }, setMore] = useState({ asked: parameters, limit: firstHits });
  const wanted = asked === parameters ? limit : firstHits;
  const { data, error, refetch, isPlaceholderData } = useAnswer(question, wanted);
  const isAnswered = data !== undefined && !isPlaceholderData;
  const [isSeen, onShown] = useSeen(isAnswered ? parameters : "", data?.length ?? 0);
  const highlights = useHighlights(question, wanted, isAnswered && isSeen);
  useKeepSearch(question, isAnswered);
  const name = question.words === "" ? search.byPicture : question.words;
  return (
    <div className="stack">
      <title>{`${name} · drs`}</title>
      <div className="results-head">
        <h1 className="unseen">{search.results(name)}</h1>
        <output className="quiet">
          {data && isAnswered && !error && data.length > 0 && <LikelyCount likely={data.likely} wanted={wanted} />}
        </output>
        <div className="row">
          <Filters question={question} />
          <Grouping />
        </div>
      </div>
      {error && <AnswerFailure error={error} onRetry={() => void refetch()} />}
      {!error && data === undefined && <HitsSkeleton />}
      {!error && data && data.incompleteDatasetIds.length > 0 && (
        <p className="notice">{search.incomplete(data.incompleteDatasetIds.length)}</p>
      )}
      {!error && data?.length === 0 && <Empty title={search.nothing}>{search.nothingNext}</Empty>}
      {!error && data && data.length > 0 && (
        <div className={isPlaceholderData ? "results-late" : undefined} aria-busy={isPlaceholderData}>
          <Found items={data} highlights={highlights} parameters={parameters} onShown={onShown} />
        </div>
      )}
      {!error && data?.length === wanted && wanted < mostHits && !isPlaceholderData && (
        <p className="row">
          <Button onClick={() => setMore({ asked: parameters, limit: mostHits })}>{search.more}</Button>
        </p>
      )}
    </div>
  );
}

/** The number of likely answers among the requested hits. */
function LikelyCount({ likely, wanted }: { readonly likely: number; readonly wanted: number }): ReactElement {
  const { search } = useTexts();
  const formats = useFormats();
  const count = formats.count(likely);
  return <>{search.likely(likely === wanted ? `${count}+` : count, likely === 1)}</>;
}

function Grouping(): ReactElement {
  const { search } = useTexts();
  const [grouping, group] = usePreference("grouping");
  const isGrouped = grouping === "document";
  return (
    <Button kind="plain" aria-pressed={isGrouped} onClick={() => group(isGrouped ? "" : "document")}>
      {search.byDocument}
    </Button>
  );
}

function AnswerFailure({ error, onRetry }: { readonly error: Error; readonly onRetry: () => void }): ReactElement {
  const { search } = useTexts();
  if (error instanceof PictureMissing) return <Empty title={search.pictureMissing}>{search.pictureMissingNext}</Empty>;
  return <Failure error={error} onRetry={onRetry} />;
}

function Begin({ question }: { readonly question: Question }): ReactElement {
  const { search } = useTexts();
  const drs = useDrs();
  const mayWrite = useMay("write");
  const { data } = useQuery({
    queryKey: ["datasets", "count"],
    queryFn: async ({ signal }) => (await drs.datasets.page({ limit: 1 }, { signal })).total,
  });
  return (
    <div className="begin">
      <title>drs</title>
      <h1>{data === 0 ? search.noDocuments : search.begin}</h1>
      {data === 0 ? (
        <>
          <p>
            {search.noDocumentsNext} <code>drs upload FILE --vectorize</code>
          </p>
          {mayWrite && (
            <div className="row">
              <Link className="button button-primary" href="/upload">
                {search.upload}
              </Link>
              <Suspense>
                <SampleButton />
              </Suspense>
            </div>
          )}
        </>
      ) : (
        <>
          <p>{search.beginNext}</p>
          <Filters question={question} />
          <RecentSearches />
        </>
      )}
    </div>
  );
}

function RecentSearches(): ReactElement | null {
  const { search } = useTexts();
  const [searches, forget] = useRecentSearches();
  if (searches.length === 0) return null;
  return (
    <section className="recent-searches" aria-label={search.recent}>
      <div className="results-head">
        <h2>{search.recent}</h2>
        <Button kind="plain" onClick={forget}>
          {search.forget}
        </Button>
      </div>
      <ul>
        {searches.map(({ address, words }) => (
          <li key={address}>
            <Link href={address} className="recent-search one-line">
              {words}
            </Link>
          </li>
        ))}
      </ul>
    </section>
  );
}
