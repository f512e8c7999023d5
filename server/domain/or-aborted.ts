/**
 * Resolves as `waiting` does, or rejects with the signal's reason; the awaited work continues. Each wait has its own
 * promise: racing against one that lives as long as the signal would keep every result alive until the end.
 */
export function orAborted<Value>(waiting: Promise<Value>, signal: AbortSignal): Promise<Value> {
  const { promise, resolve, reject } = Promise.withResolvers<Value>();
  const onAbort = (): void => reject(signal.reason);
  if (signal.aborted) onAbort();
  signal.addEventListener("abort", onAbort, { once: true });
  waiting.then(resolve, reject).finally(() => signal.removeEventListener("abort", onAbort));
  return promise;
}
