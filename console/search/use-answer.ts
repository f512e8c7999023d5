import type { Drs, FoundItems, SearchQuery } from "@drs/client";
import { keepPreviousData, useQuery, type UseQueryResult } from "@tanstack/react-query";
import { useCallback, useState } from "react";
import { useDrs } from "../shell/drs.tsx";
import { readPicture } from "./pictures.ts";
import { addressOf, filterOf, isAsked, type PageOfDataset, type Question } from "./question.ts";

/** Thrown if the address names a picture that this browser does not have. */
export class PictureMissing extends Error {}

/** The number of hits shown first. */
export const firstHits = 24;
/** Pixels; twice the width in the grid, for high-density screens. */
export const pictureWidth = 512 as const;
/** Less than the ten minutes that links work for. */
const freshMs = 300_000;

/**
 * Fetches the answer to a query, and returns the previous answer meanwhile. Structural sharing is off: its copies would lose
 * `likely`.
 */
export function useAnswer(question: Question, limit: number): UseQueryResult<FoundItems> {
  const drs = useDrs();
  return useQuery({
    queryKey: ["search", addressOf(question), limit],
    queryFn: async ({ signal }) => {
      const { datasetIds, formats: fileExt } = question;
      return drs.search(await queryOf(drs, question, signal), {
        datasetIds,
        fileExt,
        filter: filterOf(question),
        limit,
        pictureWidth,
        include: question.words === "" ? [] : ["snippet"],
        signal,
      });
    },
    enabled: isAsked(question),
    structuralSharing: false,
    placeholderData: keepPreviousData,
    staleTime: freshMs,
    gcTime: freshMs,
  });
}

/** The boxes of the query's words by item id. They take longer, so they are requested once the pages are visible. */
export function useHighlights(question: Question, limit: number, isReady: boolean): ReadonlyMap<string, Boxes> {
  const drs = useDrs();
  const { data } = useQuery({
    queryKey: ["search", addressOf(question), limit, "highlights"],
    queryFn: async ({ signal }) => {
      const { datasetIds, formats: fileExt } = question;
      const options = { datasetIds, fileExt, filter: filterOf(question), limit, pictureWidth, signal };
      const query = await queryOf(drs, question, signal);
      return drs.search(query, { ...options, include: ["highlights"] });
    },
    enabled: isReady && question.words !== "",
    staleTime: freshMs,
    gcTime: freshMs,
  });
  return new Map(data?.map(({ id, highlights = [] }) => [id, highlights]));
}

/** Hits whose pictures are loaded before anything else: two rows of the grid in most windows. */
const firstSeen = 8;

/**
 * Returns whether the first pages of an answer are visible, and a function to call with the index of each visible page.
 * `asked` is "" while the previous answer is shown.
 */
export function useSeen(asked: string, count: number): readonly [isSeen: boolean, onShown: (index: number) => void] {
  const [{ answer, seen }, setSeen] = useState({ answer: asked, seen: new Set<number>() });
  const onShown = useCallback(
    (index: number) => {
      if (index >= firstSeen) return;
      setSeen((before) => {
        const known = before.answer === asked ? before.seen : new Set<number>();
        return known.has(index) ? before : { answer: asked, seen: new Set([...known, index]) };
      });
    },
    [asked],
  );
  return [answer === asked && seen.size >= Math.min(firstSeen, count), onShown];
}

export type Boxes = NonNullable<FoundItems[number]["highlights"]>;

async function queryOf(drs: Drs, { words, pictureId, like }: Question, signal: AbortSignal): Promise<SearchQuery> {
  const text = words === "" ? undefined : words;
  if (like !== undefined) return { text, image: await pictureOf(drs, like, signal) };
  if (pictureId === undefined) return { text };
  const image = await readPicture(pictureId);
  if (image === undefined) throw new PictureMissing();
  return { text, image };
}

async function pictureOf(drs: Drs, { datasetId, page }: PageOfDataset, signal: AbortSignal): Promise<string> {
  const query = { row: "jpg", cols: page, include: ["picture"], pictureWidth: 512 } as const;
  const { data } = await drs.items.page(datasetId, query, { signal });
  const picture = data[0]?.picture;
  if (picture === undefined) throw new Error(`the document has no page ${page} that can be drawn`);
  return picture;
}
