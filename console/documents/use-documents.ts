import type { Dataset, Filter, Job } from "@drs/client";
import { useQueries, useQuery, useQueryClient } from "@tanstack/react-query";
import { hasFailed, isWorking, useRecentJobs } from "../jobs/use-jobs.ts";
import { useDrs } from "../shell/drs.tsx";
import { filterOfText } from "./metadata-text.ts";
import { useSearchParams } from "wouter";

/** The sort orders; the first is the default. */
export const sorts = ["-createdAt", "createdAt", "fileName", "-fileSize", "-itemCount", "expiresAt"] as const;
type Sort = (typeof sorts)[number];
export const states = ["working", "failed", "searchable", "unsearchable"] as const;
type State = (typeof states)[number];

/** The query for documents in the address; "" for any. */
export interface Question {
  readonly sort: Sort;
  /** A part of the name, case-insensitive. */
  readonly name: string;
  /** An extension without a dot. */
  readonly format: string;
  readonly state: State | "";
  /** Conditions on metadata. */
  readonly where: string;
}

/** Returns the query and a function that changes it. A change replaces the address without a history entry. */
export function useQuestion(): readonly [Question, (change: Partial<Question>) => void] {
  const [parameters, setParameters] = useSearchParams();
  const question: Question = {
    sort: sorts.find((sort) => sort === parameters.get("sort")) ?? "-createdAt",
    name: parameters.get("name") ?? "",
    format: parameters.get("format") ?? "",
    state: states.find((state) => state === parameters.get("state")) ?? "",
    where: parameters.get("where") ?? "",
  };
  const change = (changed: Partial<Question>): void => {
    const next = Object.entries({ ...question, ...changed }).filter(
      ([name, value]) => value !== "" && !(name === "sort" && value === "-createdAt"),
    );
    setParameters(new URLSearchParams(next), { replace: true });
  };
  return [question, change];
}

/** The service's maximum page size. */
const pageSize = 100;
/** Maximum number of documents searched for a name or a job state, for which the service has no filter. */
export const maxLookedAt = 20_000;
const requestsAtOnce = 3;

/** The part of a query that the service answers: order and filters. */
interface Order {
  readonly sort: readonly string[];
  readonly filter?: Filter;
  readonly fileExt?: readonly string[];
  readonly searchable?: boolean;
}

/** The documents that match a query. */
export interface ListedDocuments {
  /** The number of rows; undefined until it is known. */
  readonly count: number | undefined;
  /** The number of documents that the service lists, before filtering by name or job state. */
  readonly total: number;
  /** The number of documents filtered so far; undefined if none need filtering, or all were filtered. */
  readonly lookedAt: number | undefined;
  /** Returns undefined while the row is being fetched. */
  readonly at: (row: number) => Dataset | undefined;
  /** Fetches all matching documents, page by page; for short lists. */
  readonly all: () => Promise<readonly Dataset[]>;
  readonly jobs: ReadonlyMap<string, Job>;
  readonly unfinished: number;
  readonly error: unknown;
  readonly retry: () => void;
}

/** Fetches the rows from `first` to `last`, which are near the viewport. */
export function useDocuments(question: Question, first: number, last: number): ListedDocuments {
  const { byDataset: jobs, unfinished } = useRecentJobs();
  const filter = parsed(question.where);
  const { format, state } = question;
  const order: Order = {
    sort: [question.sort],
    ...(filter && { filter }),
    ...(format !== "" && { fileExt: [format] }),
    ...((state === "searchable" || state === "unsearchable") && { searchable: state === "searchable" }),
  };
  const isPicked = question.name !== "" || state === "working" || state === "failed";
  const paged = usePaged(order, !isPicked, first, last);
  const scanned = useScanned(order, isPicked);
  if (!isPicked) return { ...paged, lookedAt: undefined, jobs, unfinished };
  const found = scanned.seen?.filter((dataset) => fits(dataset, jobs.get(dataset.id), question));
  return {
    count: found?.length,
    total: scanned.total,
    lookedAt: scanned.seen?.length === scanned.total ? undefined : scanned.seen?.length,
    at: (row) => found?.[row],
    all: async () => found ?? [],
    jobs,
    unfinished,
    error: scanned.error,
    retry: scanned.retry,
  };
}

/** Returns undefined while the text is not a valid filter yet. */
function parsed(text: string): Filter | undefined {
  try {
    return filterOfText(text);
  } catch {
    return undefined;
  }
}

function fits({ fileName }: Dataset, job: Job | undefined, { name, state }: Question): boolean {
  if (state === "working" && !isWorking(job)) return false;
  if (state === "failed" && (job === undefined || isWorking(job) || !hasFailed(job))) return false;
  return fileName.toLowerCase().includes(name.toLowerCase());
}

type Part = Pick<ListedDocuments, "count" | "total" | "at" | "all" | "error" | "retry">;

/** Fetches the pages of the list near the viewport. */
function usePaged(order: Order, enabled: boolean, first: number, last: number): Part {
  const drs = useDrs();
  const pageAt = (page: number) => ({
    queryKey: ["datasets", "page", order, page],
    queryFn: async ({ signal }: { readonly signal: AbortSignal }) =>
      drs.datasets.page({ ...order, offset: page * pageSize, limit: pageSize }, { signal }),
    enabled,
    staleTime: 30_000,
  });
  const queries = useQueryClient();
  const { data: top, error, refetch } = useQuery(pageAt(0));
  const from = Math.floor(first / pageSize);
  const wanted = Array.from({ length: Math.floor(last / pageSize) - from + 1 }, (_, index) => from + index);
  const pages = useQueries({ queries: wanted.map(pageAt) });
  return {
    count: top?.total,
    total: top?.total ?? 0,
    at: (row) => pages[Math.floor(row / pageSize) - from]?.data?.data[row % pageSize],
    async all() {
      const found: Dataset[] = [];
      for (let page = 0; page * pageSize < (top?.total ?? 0); page += 1) {
        const { data } = await queries.fetchQuery(pageAt(page));
        found.push(...data);
      }
      return found;
    },
    error: error ?? pages.find((page) => page.error !== null)?.error,
    retry: () => void refetch(),
  };
}

interface Scan {
  readonly total: number;
  readonly data: readonly Dataset[];
}

/** Fetches all documents, and shows them as they arrive. */
function useScanned(
  order: Order,
  enabled: boolean,
): { seen?: readonly Dataset[] } & Omit<Part, "count" | "at" | "all"> {
  const drs = useDrs();
  const queries = useQueryClient();
  const queryKey = ["datasets", "all", order];
  const { data, error, refetch } = useQuery({
    queryKey,
    enabled,
    staleTime: 30_000,
    queryFn: async ({ signal }): Promise<Scan> => {
      const pageOf = async (offset: number): Promise<Scan> =>
        drs.datasets.page({ ...order, offset, limit: pageSize }, { signal });
      const before = queries.getQueryData<Scan>(queryKey);
      let seen = await pageOf(0);
      const { total } = seen;
      while (seen.data.length < Math.min(total, maxLookedAt)) {
        // The previous result stays while the list is read again.
        if (before === undefined) queries.setQueryData(queryKey, seen);
        const offsets = Array.from({ length: requestsAtOnce }, (_, index) => seen.data.length + index * pageSize);
        const pages = await Promise.all(offsets.filter((offset) => offset < total).map(pageOf));
        const more = pages.flatMap((page) => page.data);
        if (more.length === 0) break;
        seen = { total, data: [...seen.data, ...more] };
      }
      return seen;
    },
  });
  return {
    ...(data && { seen: data.data }),
    total: data?.total ?? 0,
    error,
    retry: () => void refetch(),
  };
}
