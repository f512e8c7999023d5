/**
 * What is being waited for, or the signal's reason; what is waited for goes on. One promise a wait: a race against one that
 * lives as long as the signal would keep all results alive until the end.
 */
export function orAborted<Value>(waiting: Promise<Value>, signal: AbortSignal): Promise<Value> {
  const { promise, resolve, reject } = Promise.withResolvers<Value>();
  const onAbort = (): void => reject(signal.reason);
  if (signal.aborted) onAbort();
  signal.addEventListener("abort", onAbort, { once: true });
  waiting.then(resolve, reject).finally(() => signal.removeEventListener("abort", onAbort));
  return promise;
}
