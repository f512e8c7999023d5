import { orAborted } from "../../domain/or-aborted.ts";

/** The body until the signal fires, which rejects even while the body has nothing to give. */
export async function* untilAborted(
  body: AsyncIterable<Uint8Array>,
  signal: AbortSignal | undefined,
): AsyncGenerator<Uint8Array> {
  if (signal === undefined) {
    yield* body;
    return;
  }
  const chunks = body[Symbol.asyncIterator]();
  let ended = false;
  try {
    for (;;) {
      const next = await orAborted(chunks.next(), signal);
      if (next.done === true) {
        ended = true;
        return;
      }
      yield next.value;
    }
  } finally {
    // Not awaited: a generator that hangs in its own await would never return, and its result is not needed.
    if (!ended) void Promise.resolve(chunks.return?.()).catch(() => undefined);
  }
}
