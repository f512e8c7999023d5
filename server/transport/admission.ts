import type { DescMethod } from "@bufbuild/protobuf";
import { SearchService } from "@drs/client/gen/drs/v1/search_pb";
import { unavailable } from "../domain/errors.ts";

/** What requests are counted as; one kind cannot take the room of another. */
export type WorkKind = "upload" | "search" | "follow" | "share" | "other";

/** Most requests of a kind at work at the same time. */
export type Room = Readonly<Record<WorkKind, number>>;

export const defaultRoom: Room = {
  // Each holds up to 1 MB on its way to the blob store.
  upload: 256,
  // Each may hold a picture of 32 MB, and the worker answers a few at a time: more would only wait.
  search: 32,
  // They wait and hold next to nothing.
  follow: 2048,
  // Each holds a piece of 64 KB, or waits for its page.
  share: 512,
  // Each may hold a JSON body; most take milliseconds.
  other: 128,
};

/** Live bytes of the process above which nothing large is begun: half of what Node's heap alone may have by default. */
const maxLiveBytes = 2 * 2 ** 30;
/** Memory does not grow faster than we look. */
const lookMs = 250;

/** Decides whether there is room for a request. */
export interface Admission {
  /** Enters a request; the result takes it off again. Throws `unavailable` if there is no room. */
  enter(kind: WorkKind): () => void;
}

export function createAdmission(room: Room = defaultRoom, liveBytes: () => number = liveBytesNow): Admission {
  const atWork = new Map<WorkKind, number>();
  let live = 0;
  let lookedAt = Number.NEGATIVE_INFINITY;
  const isMemoryShort = (): boolean => {
    const now = performance.now();
    if (now - lookedAt >= lookMs) [live, lookedAt] = [liveBytes(), now];
    return live > maxLiveBytes;
  };
  return {
    enter(kind) {
      const count = atWork.get(kind) ?? 0;
      if (count >= room[kind]) throw unavailable("the server is at work on as many requests as it can; try again soon");
      if (kind !== "follow" && isMemoryShort()) throw unavailable("the server is short of memory; try again soon");
      atWork.set(kind, count + 1);
      let isIn = true;
      return () => {
        if (isIn) atWork.set(kind, (atWork.get(kind) ?? 1) - 1);
        isIn = false;
      };
    },
  };
}

export function workKindOf(method: DescMethod): WorkKind {
  if (method.methodKind === "client_streaming") return "upload";
  if (method.methodKind === "server_streaming") return method.name === "ReadShare" ? "share" : "follow";
  return method.parent.typeName === SearchService.typeName ? "search" : "other";
}

/** Of objects and buffers. What the process has from the system stays high after a peak and would shut us for ever. */
function liveBytesNow(): number {
  const { heapUsed, external } = process.memoryUsage();
  return heapUsed + external;
}
