import { keepPreviousData, useQuery } from "@tanstack/react-query";
import type { ReactElement } from "react";
import { useSearchParams } from "wouter";
import { Failure } from "../design/failure.tsx";
import { Empty } from "../design/surfaces.tsx";
import { useDrs } from "../shell/drs.tsx";
import { useTexts } from "../texts/texts.tsx";
import { Hits, HitsSkeleton } from "./hits.tsx";

const maxHits = 24;

/** The pages that answer the question in the address. */
export function SearchPage(): ReactElement {
  const { search } = useTexts();
  const drs = useDrs();
  const [parameters] = useSearchParams();
  const words = parameters.get("q") ?? "";
  const { data, error, refetch } = useQuery({
    queryKey: ["search", words],
    queryFn: async ({ signal }) => drs.search(words, { limit: maxHits, signal }),
    enabled: words !== "",
    placeholderData: keepPreviousData,
    // Links work for ten minutes.
    staleTime: 300_000,
  });
  const title = words === "" ? "drs" : `${words} · drs`;
  return (
    <div className="stack">
      <title>{title}</title>
      <h1 className="unseen">{search.area}</h1>
      {words === "" && <Empty title={search.begin}>{search.beginNext}</Empty>}
      {error && <Failure error={error} onRetry={() => void refetch()} />}
      {words !== "" && !error && data === undefined && <HitsSkeleton />}
      {data?.length === 0 && <Empty title={search.nothing}>{search.nothingNext}</Empty>}
      {data !== undefined && data.length > 0 && <Hits items={data} />}
    </div>
  );
}
