import type { StoredBlob } from "../../../domain/ports/blobs.ts";
import { isNotThere, statusOf } from "../../s3/faults.ts";
import { MissingSource } from "../sources.ts";
import type { Bucket } from "../../s3/client.ts";
import { createDigest, type Digest, type ObjectFacts, openObject, statObject } from "./object.ts";
import {
  type Multipart,
  withMultipart,
  createPiece,
  minPartBytes,
  pieceBytes,
  maxCopiedBytes,
  putSmall,
} from "./upload.ts";

/** Maximum number of concurrent requests about sources. */
const atOnce = 16;
/** Maximum number of copies that the store makes at the same time. */
const copiesAtOnce = 4;

type Source = ObjectFacts & { readonly key: string };

/**
 * Concatenates the sources inside the store. Each source is read once, to compute the SHA-256 and check the copy. Only
 * sources that are too small to be parts of an object are also sent. Throws `MissingSource`.
 */
export async function assembleObject(
  bucket: Bucket,
  key: string,
  keys: readonly string[],
  signal: AbortSignal,
): Promise<StoredBlob> {
  signal.throwIfAborted();
  const sources = await findSources(bucket, keys, signal);
  const digest = createDigest();
  const steps = planAssembly(sources.map(({ size }) => size));
  const [only] = steps;
  const isSmall =
    steps.length === 0 || (steps.length === 1 && only !== undefined && sizeOf(only, sources) < minPartBytes);
  if (isSmall) {
    const piece = createPiece();
    for await (const chunk of readAll(bucket, sources, { digest, signal })) piece.fill(chunk);
    await putSmall(bucket, key, { bytes: piece.bytes(), digest, signal });
    return digest.stored();
  }
  await withMultipart(bucket, { key, digest, signal }, async (multipart) => {
    const copying = new Set<Promise<void>>();
    for (const step of steps) {
      if (step.kind === "send") {
        const sent = step.sources.flatMap((at) => sources[at] ?? []);
        await sendEqually(multipart, readAll(bucket, sent, { digest, signal }), step.size);
        continue;
      }
      const source = sources[step.source];
      if (source === undefined) continue;
      if (copying.size >= copiesAtOnce) await Promise.race(copying);
      const copy: Promise<void> = copyOf(multipart, source).finally(() => copying.delete(copy));
      copying.add(copy);
      copy.catch(() => undefined);
      await drain(readAll(bucket, [source], { digest, signal }));
    }
    await Promise.all(copying);
    await multipart.settle();
  });
  return digest.stored();
}

const sizeOf = (step: Step, sources: readonly Source[]): number =>
  step.kind === "send" ? step.size : (sources[step.source]?.size ?? 0);

async function findSources(bucket: Bucket, keys: readonly string[], signal: AbortSignal): Promise<Source[]> {
  const known = new Map<string, Source>();
  const unknown = [...new Set(keys)];
  for (let from = 0; from < unknown.length; from += atOnce) {
    const some = unknown.slice(from, from + atOnce);
    const found = await Promise.all(some.map((key) => statObject(bucket, key, signal)));
    for (const [at, key] of some.entries()) {
      const facts = found[at];
      if (facts === undefined) throw new MissingSource(key);
      known.set(key, { key, ...facts });
    }
  }
  return keys.flatMap((key) => known.get(key) ?? []);
}

async function copyOf(multipart: Multipart, source: Source): Promise<void> {
  try {
    await multipart.copy(source);
  } catch (cause) {
    const isGone = isNotThere(cause) && cause instanceof Error && cause.name === "NoSuchKey";
    throw isGone || statusOf(cause) === 412 ? new MissingSource(source.key, { cause }) : cause;
  }
}

/** Yields the bytes of the sources one after another, and adds them to the digest. */
async function* readAll(
  bucket: Bucket,
  sources: readonly Source[],
  { digest, signal }: { digest: Digest; signal: AbortSignal },
): AsyncGenerator<Uint8Array> {
  for (const { key, etag, size } of sources) {
    if (size === 0) continue;
    const opened = await openObject(bucket, key, { etag, signal });
    if (opened === undefined) throw new MissingSource(key);
    for await (const chunk of opened.body) {
      signal.throwIfAborted();
      digest.add(chunk);
      yield chunk;
    }
  }
}

async function drain(bytes: AsyncIterable<Uint8Array>): Promise<void> {
  for await (const _ of bytes);
}

/** Sends `size` bytes in parts of equal size. If `size` is large enough for a part, so is each of the parts. */
async function sendEqually(multipart: Multipart, bytes: AsyncIterable<Uint8Array>, size: number): Promise<void> {
  const partBytes = Math.ceil(size / Math.ceil(size / pieceBytes));
  const piece = createPiece();
  for await (const chunk of bytes) {
    for (let left = chunk; left.byteLength > 0;) {
      left = left.subarray(piece.fill(left, partBytes));
      if (piece.length() < partBytes) continue;
      await multipart.send(piece.bytes());
      piece.empty();
    }
  }
  if (piece.length() > 0) await multipart.send(piece.bytes());
}

/** One step of an assembly: a single source is copied inside the store, or several sources are sent in equal parts. */
type Step =
  | { readonly kind: "copy"; readonly source: number }
  | { readonly kind: "send"; readonly sources: readonly number[]; readonly size: number };

/**
 * Plans an object made of sources of these sizes, in order. Every part but the last must have at least `minPartBytes`,
 * so small sources are sent together with the next ones. Only whole sources are copied, because for a range some
 * endpoints record the checksum of the whole source.
 */
export function planAssembly(sizes: readonly number[]): readonly Step[] {
  const steps: Step[] = [];
  let run: number[] = [];
  let size = 0;
  const endRun = (): void => {
    if (run.length > 0) steps.push({ kind: "send", sources: run, size });
    run = [];
    size = 0;
  };
  const last = sizes.findLastIndex((bytes) => bytes > 0);
  for (const [source, bytes] of sizes.entries()) {
    if (bytes === 0) continue;
    const mayBegin = size === 0 || size >= minPartBytes;
    const isLargeEnough = bytes >= minPartBytes || source === last;
    if (mayBegin && isLargeEnough && bytes <= maxCopiedBytes) {
      endRun();
      steps.push({ kind: "copy", source });
    } else {
      run.push(source);
      size += bytes;
    }
  }
  endRun();
  return steps;
}
