import { DomainError } from "../domain/errors.ts";
import type { BlobStore } from "../domain/ports/blobs.ts";
import type { Meter, Times } from "../domain/ports/meter.ts";
import type { Metadata } from "../domain/ports/metadata.ts";
import type { VectorStore } from "../domain/ports/vector-store.ts";

interface Stores {
  readonly metadata: Metadata;
  readonly blobs: BlobStore;
  readonly vectors: VectorStore;
}

/**
 * Wraps the stores so that every call is timed by the method of the port, such as `jobs.claim`. Iterations are not
 * timed.
 */
export function timeStores<Given extends Stores>(stores: Given, meter: Meter): Given {
  const { metadata, blobs, vectors } = stores;
  return {
    ...stores,
    metadata: timeStore(metadata, "metadata", meter),
    blobs: timeStore(blobs, "blobs", meter),
    vectors: timeStore(vectors, "vectors", meter),
  };
}

type StoreName = Times["stores"]["store"];

function timeStore<Store extends object>(store: Store, name: StoreName, meter: Meter, path = ""): Store {
  const entries = Object.entries(store).map(([key, value]: [string, unknown]) => {
    const operation = `${path}${key}`;
    if (isFunction(value)) return [key, timeCall(value, store, { store: name, operation }, meter)];
    if (typeof value === "object" && value !== null) return [key, timeStore(value, name, meter, `${operation}.`)];
    return [key, value];
  });
  // The result has the same keys, with functions of the same kind.
  return Object.assign({ ...store }, Object.fromEntries(entries));
}

type AnyFunction = (...input: unknown[]) => unknown;

const isFunction = (value: unknown): value is AnyFunction => typeof value === "function";

const isPromise = (value: unknown): value is Promise<unknown> => value instanceof Promise;

function timeCall(
  call: AnyFunction,
  store: object,
  labels: Pick<Times["stores"], "store" | "operation">,
  meter: Meter,
): AnyFunction {
  return (...input) => {
    const startedAt = performance.now();
    const output: unknown = Reflect.apply(call, store, input);
    if (!isPromise(output)) return output;
    const end = (result: Times["stores"]["result"]): void =>
      meter.time("stores", { ...labels, result }, (performance.now() - startedAt) / 1000);
    output.then(
      () => end("succeeded"),
      (cause: unknown) => end(isFault(cause) ? "failed" : "succeeded"),
    );
    return output;
  };
}

/** A refusal, or a caller that no longer waits, is not a fault of the store. */
function isFault(cause: unknown): boolean {
  if (cause instanceof DomainError) return cause.kind === "unavailable" || cause.kind === "storage_full";
  return !(cause instanceof Error && cause.name === "AbortError");
}
