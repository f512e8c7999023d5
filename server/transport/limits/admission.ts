import type { DescMethod } from "@bufbuild/protobuf";
import { SearchService } from "@drs/client/gen/drs/v1/search_pb";
import { rateLimited, unavailable } from "../../domain/errors.ts";
import { createFairLimit, type Dimension, type Excess, type FairLimit, type Parties } from "./fair-limit.ts";

/** Kinds of requests that are counted separately; one kind cannot take the places of another. */
export const workKinds = ["upload", "search", "follow", "share", "service", "other"] as const;
export type WorkKind = (typeof workKinds)[number];

/** Maximum number of concurrent requests of each kind. */
export type ConcurrencyLimits = Readonly<Record<WorkKind, number>>;

export const defaultConcurrency: ConcurrencyLimits = {
  // Each holds up to 1 MB on its way to the blob store.
  upload: 256,
  // Each may hold a picture of 32 MB; searches beyond those that the worker answers at a time take turns.
  search: 64,
  // They wait, and hold next to nothing.
  follow: 2048,
  // Each holds a piece of 64 KB, or waits for its page.
  share: 512,
  // Health and metrics, which take milliseconds.
  service: 64,
  // Each may hold a JSON body; most take milliseconds.
  other: 256,
};

/** Live bytes of the process above which no large request is admitted: half of the default limit of Node's heap. */
const maxLiveBytes = 2 * 2 ** 30;
/** Interval of checks; memory does not grow much faster. */
const lookMs = 250;
/** Most requests that hold a place are done by then. */
const retryAfterSeconds = 2;

/** A request that has been admitted and counts towards the limits until it leaves. */
export interface Admitted {
  /** Counts the request for further parties. Throws `rate_limited` if one of them already holds its share. */
  count(parties: Parties): void;
  /** Frees the place: the request is over. */
  leave(): void;
}

/** Decides whether there is room for a request. */
export interface Admission {
  /**
   * Admits a request. Throws `rate_limited`, naming the party, if a party already holds its share, and `unavailable` if
   * the process has no more places.
   */
  enter(kind: WorkKind, parties: Parties): Admitted;
  /** The number of requests in progress. */
  atWork(kind: WorkKind): number;
}

export type OnRefusal = (kind: WorkKind, dimension: Dimension | "process" | "memory") => void;

interface Options {
  readonly concurrency?: ConcurrencyLimits | undefined;
  readonly liveBytes?: () => number;
  readonly onRefusal?: OnRefusal;
}

export function createAdmission({
  concurrency = defaultConcurrency,
  liveBytes = liveBytesNow,
  onRefusal = () => undefined,
}: Options = {}): Admission {
  const limits: Readonly<Record<WorkKind, FairLimit>> = {
    upload: createFairLimit(concurrency.upload),
    search: createFairLimit(concurrency.search),
    follow: createFairLimit(concurrency.follow),
    share: createFairLimit(concurrency.share),
    service: createFairLimit(concurrency.service),
    other: createFairLimit(concurrency.other),
  };
  let live = 0;
  let lookedAt = Number.NEGATIVE_INFINITY;
  const isMemoryShort = (): boolean => {
    const now = performance.now();
    if (now - lookedAt >= lookMs) [live, lookedAt] = [liveBytes(), now];
    return live > maxLiveBytes;
  };
  const refuse = (kind: WorkKind, excess: Excess | { readonly dimension: "memory" }): Error => {
    onRefusal(kind, excess.dimension);
    if (excess.dimension === "memory") {
      return unavailable("the server is short of memory; try again soon", { retryAfterSeconds });
    }
    if (excess.dimension === "process") {
      return unavailable("the server is processing as many requests as it can; try again soon", { retryAfterSeconds });
    }
    const { dimension, held } = excess;
    const share = "its share of what the server can do at the moment";
    return rateLimited(
      `${whose[dimension]} has ${held} ${nouns[kind]} in progress, ${share}; try again when one has ended`,
      {
        retryAfterSeconds,
      },
    );
  };
  return {
    atWork: (kind) => limits[kind].taken,
    enter(kind, parties) {
      if (isLarge(kind) && isMemoryShort()) throw refuse(kind, { dimension: "memory" });
      const hold = limits[kind].enter(parties);
      if ("dimension" in hold) throw refuse(kind, hold);
      return {
        count(more) {
          const excess = hold.count(more);
          if (excess !== undefined) throw refuse(kind, excess);
        },
        leave: hold.leave,
      };
    },
  };
}

const whose: Readonly<Record<Dimension, string>> = {
  link: "this link",
  caller: "your API key or membership",
  workspace: "the workspace of this link",
  organisation: "your organisation",
  address: "your network address",
};

const nouns: Readonly<Record<WorkKind, string>> = {
  upload: "uploads",
  search: "searches",
  follow: "watches",
  share: "downloads",
  service: "requests about the service",
  other: "requests",
};

/** Whether requests of the kind may hold much memory. The others must be answered even when memory is short. */
function isLarge(kind: WorkKind): boolean {
  return kind !== "follow" && kind !== "service";
}

/** The party of all callers without a key. */
export const anonymous = "anonymous";

export function workKindOf(method: DescMethod): WorkKind {
  if (method.methodKind === "client_streaming") return "upload";
  if (method.methodKind === "server_streaming") return method.name === "ReadShare" ? "share" : "follow";
  return method.parent.typeName === SearchService.typeName ? "search" : "other";
}

/**
 * Bytes of live objects and buffers. The memory that the process has from the system stays high after a peak, and would
 * block requests forever.
 */
function liveBytesNow(): number {
  const { heapUsed, external } = process.memoryUsage();
  return heapUsed + external;
}
