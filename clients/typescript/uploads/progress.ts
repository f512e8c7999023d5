/** Progress of an upload. It never goes backwards: bytes that have to be sent again are not subtracted. */
export interface UploadProgress {
  /** Bytes of the document that have been handed to the connection, or need not be sent again. */
  readonly sentBytes: number;
  /** Undefined until the end of a stream, whose length is not known before. */
  readonly totalBytes: number | undefined;
  /** Bytes per second over the last ten seconds; 0 if nothing has been sent yet. */
  readonly bytesPerSecond: number;
  /** Milliseconds until all bytes have been sent at this rate; undefined if not known. */
  readonly remainingMs: number | undefined;
}

/** Adds up the bytes that the requests of one upload have sent. */
export interface Meter {
  /** Counts a part that need not be sent again. */
  found(size: number): void;
  /** Counts the bytes of a part that have been sent in this try. */
  sending(partNumber: number, sentBytes: number): void;
  /** Counts a part that has arrived. */
  arrived(partNumber: number, size: number): void;
  /** Marks the document as complete, which also makes the length of a stream known. */
  complete(): void;
}

interface MeterOptions {
  readonly totalBytes: number | undefined;
  readonly onProgress: ((progress: UploadProgress) => void) | undefined;
  /** Clock in milliseconds, for tests. */
  readonly now?: () => number;
}

/** Interval of reports, milliseconds: as often as a reader can see a change. */
const reportEveryMs = 50;
const sampleEveryMs = 250;
const rateWindowMs = 10_000;

export function createMeter({ totalBytes, onProgress, now = () => performance.now() }: MeterOptions): Meter {
  const inFlight = new Map<number, number>();
  let arrivedBytes = 0;
  let inFlightBytes = 0;
  let sentBytes = 0;
  /** Bytes that this upload did not send, so that they do not count for its rate. */
  let foundBytes = 0;
  let reportedAt = Number.NEGATIVE_INFINITY;
  const samples = [{ at: now(), bytes: 0 }];

  const rateAt = (at: number): number => {
    const bytes = sentBytes - foundBytes;
    if (at - (samples.at(-1)?.at ?? 0) >= sampleEveryMs) samples.push({ at, bytes });
    while (samples.length > 1 && at - (samples[0]?.at ?? 0) > rateWindowMs) samples.shift();
    const [oldest] = samples;
    return oldest === undefined || at <= oldest.at ? 0 : ((bytes - oldest.bytes) / (at - oldest.at)) * 1_000;
  };
  const report = (total: number | undefined, isLast = false): void => {
    if (onProgress === undefined) return;
    sentBytes = Math.max(sentBytes, arrivedBytes + inFlightBytes);
    const at = now();
    if (!isLast && at - reportedAt < reportEveryMs) return;
    reportedAt = at;
    const bytesPerSecond = rateAt(at);
    const left = total === undefined ? undefined : total - sentBytes;
    const remainingMs =
      left === 0 ? 0 : left === undefined || bytesPerSecond === 0 ? undefined : (left / bytesPerSecond) * 1_000;
    onProgress({ sentBytes, totalBytes: total, bytesPerSecond, remainingMs });
  };
  const setInFlight = (partNumber: number, bytes: number): void => {
    inFlightBytes += bytes - (inFlight.get(partNumber) ?? 0);
    inFlight.set(partNumber, bytes);
  };

  report(totalBytes);
  return {
    found(size) {
      arrivedBytes += size;
      foundBytes += size;
      report(totalBytes);
    },
    sending(partNumber, bytes) {
      setInFlight(partNumber, bytes);
      report(totalBytes);
    },
    arrived(partNumber, size) {
      setInFlight(partNumber, 0);
      inFlight.delete(partNumber);
      arrivedBytes += size;
      report(totalBytes);
    },
    complete: () => report(arrivedBytes, true),
  };
}
