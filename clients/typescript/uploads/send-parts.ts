import { fromJson } from "@bufbuild/protobuf";
import { runtime } from "#runtime";
import type { Connection } from "../connection.ts";
import { DrsError } from "../errors.ts";
import { UploadPartSchema } from "../gen/drs/v1/uploads_pb.ts";
import { dataOf } from "./form.ts";
import { maxParts, type Part, type PartSupply } from "./parts.ts";
import type { Meter } from "./progress.ts";
import type { Retrier } from "./retry.ts";
import type { UploadedPart } from "./state.ts";

interface PartsToSend {
  readonly connection: Connection;
  readonly key: string;
  readonly fileName: string;
  /** The parts that the session already has, by number. */
  readonly known: ReadonlyMap<number, UploadedPart>;
  readonly supply: PartSupply;
  readonly partsAtOnce: number;
  readonly meter: Meter;
  readonly retrier: Retrier;
  readonly silenceMs: number;
  readonly signal: AbortSignal | undefined;
  /** Called with all parts that have arrived so far, by number. */
  readonly onArrived: (parts: readonly UploadedPart[]) => void;
}

/**
 * Sends the parts that the session does not have yet, several at a time. Resolves with all parts by number. The first
 * failure stops the others; when this rejects, nothing is being read or sent any more.
 */
export async function sendParts(work: PartsToSend): Promise<readonly UploadedPart[]> {
  const { supply, partsAtOnce, signal, onArrived } = work;
  const failed = new AbortController();
  const stop = signal === undefined ? failed.signal : AbortSignal.any([signal, failed.signal]);
  const cancel = (): void => supply.cancel(stop.reason);
  stop.throwIfAborted();
  stop.addEventListener("abort", cancel, { once: true });
  const arrived = new Map<number, UploadedPart>();

  const runLane = async (): Promise<void> => {
    for (;;) {
      const part = await supply.next();
      if (part === undefined || stop.aborted) return;
      try {
        arrived.set(part.partNumber, await deliver(part, work, stop));
      } finally {
        part.release();
      }
      onArrived(byNumber(arrived));
    }
  };
  const lanes = Array.from({ length: partsAtOnce }, () => runLane().catch((cause: unknown) => failed.abort(cause)));
  await Promise.all(lanes);
  stop.removeEventListener("abort", cancel);
  stop.throwIfAborted();
  return byNumber(arrived);
}

function byNumber(parts: ReadonlyMap<number, UploadedPart>): UploadedPart[] {
  return [...parts.values()].sort((one, other) => one.partNumber - other.partNumber);
}

/** Makes sure that the session has the part, by sending it unless it is there already. */
async function deliver(part: Part, work: PartsToSend, signal: AbortSignal): Promise<UploadedPart> {
  const { partNumber, size, bytes } = part;
  const { known, meter, retrier } = work;
  if (partNumber > maxParts) {
    throw new DrsError({
      code: "invalid_argument",
      message: `the stream is longer than ${maxParts} parts; upload it with a larger partBytes`,
    });
  }
  const have = known.get(partNumber);
  // The document may have changed since: only its own bytes prove that a part belongs to it.
  if (have?.size === size && have.etag === (await runtime.sha256(bytes))) {
    meter.found(size);
    return have;
  }
  const etag = await retrier.run(() => send(part, work, signal));
  meter.arrived(partNumber, size);
  return { partNumber, etag, size };
}

async function send({ partNumber, bytes }: Part, work: PartsToSend, signal: AbortSignal): Promise<string> {
  const { connection, key, fileName, meter, silenceMs } = work;
  const form = {
    fields: [
      ["key", key],
      ["partNumber", String(partNumber)],
    ],
    file: { fileName, mimeType: "", bytes },
    checksumField: "checksum",
  } as const;
  const onSent = (sentBytes: number): void => meter.sending(partNumber, sentBytes);
  onSent(0);
  const { answer, sha256 } = await runtime.sendForm(connection, "/v1/upload-session/append", form, {
    signal,
    silenceMs,
    onSent,
  });
  const { etag } = fromJson(UploadPartSchema, dataOf(answer), { ignoreUnknownFields: true });
  if (sha256 !== undefined && etag !== sha256) {
    throw new DrsError({
      code: "data_loss",
      message: `part ${partNumber} arrived at the server as something else (SHA-256 ${etag}, not ${sha256}); upload the document again`,
    });
  }
  return etag;
}
