import type { Row } from "../measuring/report.ts";
import { claimsPerSecond, stageSeconds, world } from "./inputs.ts";
import { meanWait, type Servers, serversFor, utilisation } from "./queueing.ts";

const daySeconds = 86_400;

/** CPU seconds that a page takes until it can be found, by stage; converting counts for the part that needs it. */
export const ingestSeconds: Readonly<Record<string, number>> = {
  convert: stageSeconds.convert * world.office,
  "read and extract": stageSeconds.read,
  "embed the picture": stageSeconds.embedPicture,
  "embed the words": stageSeconds.embedWords,
};

export const allIngestSeconds = Object.values(ingestSeconds).reduce((sum, seconds) => sum + seconds, 0);

export function ingestTable(): Row[] {
  const line = (stage: string, seconds: number): Row => ({
    stage,
    "CPU ms a page": seconds * 1000,
    "CPU hours a million": (seconds * 1e6) / 3600,
    "cores for all in the time": coresFor(seconds),
  });
  const lines = Object.entries(ingestSeconds).map(([stage, seconds]) => line(stage, seconds));
  return [...lines, line("all", allIngestSeconds)];
}

/** Returns the cores needed at the target utilisation. */
const coresFor = (seconds: number): number =>
  (seconds * world.pages) / (world.ingestDays * daySeconds) / world.utilisation;

/** Models documents as arrivals and workers as servers. */
export function queueTable(): Row[] {
  const documents = world.pages / world.pagesPerDocument / (world.ingestDays * daySeconds);
  const load: Omit<Servers, "count"> = {
    arrivals: documents,
    serviceSeconds: allIngestSeconds * world.pagesPerDocument,
  };
  return [1, 10, 60].map((maxWaitSeconds): Row => {
    const count = serversFor(load, maxWaitSeconds);
    return {
      "documents a second": documents,
      "mean wait wanted, s": maxWaitSeconds,
      "worker cores": count,
      "mean wait, s": meanWait({ ...load, count }),
      "cores at work": utilisation({ ...load, count }),
      "claims, part of the bar": documents / claimsPerSecond,
    };
  });
}
