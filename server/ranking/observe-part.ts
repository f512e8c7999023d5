import { type Meter, noMeter, type SearchPart, timed } from "../domain/ports/meter.ts";
import { noTracing, type Tracing } from "../domain/ports/tracing.ts";

/** Receivers of the duration of each part; none by default. */
export interface PartObservers {
  readonly meter?: Meter;
  readonly tracing?: Tracing;
}

/** Runs a part of a search, measures its duration and gives it its own span. */
export function observePart<Result>(
  { meter = noMeter, tracing = noTracing }: PartObservers,
  part: SearchPart,
  work: () => Promise<Result>,
): Promise<Result> {
  return tracing.span(`search ${part}`, {}, () => timed((seconds) => meter.time("searches", { part }, seconds), work));
}
