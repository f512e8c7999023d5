import { Code, ConnectError } from "@connectrpc/connect";
import type { NodeRequest } from "./exchange.ts";

/** Functions that ask for the body of requests with an expectation (RFC 9110, section 10.1.1). */
const expecting = new WeakMap<NodeRequest, () => void>();

/** Registers a request whose client sends the body when it is asked to, or has waited too long. */
export function expectContinue(request: NodeRequest, ask: () => void): void {
  expecting.set(request, ask);
}

/**
 * Yields the body. It is not destroyed if its reader stops early, because that would destroy the connection and the
 * answer too.
 */
export async function* bodyOf(request: NodeRequest): AsyncGenerator<Uint8Array> {
  expecting.get(request)?.();
  expecting.delete(request);
  try {
    yield* request.iterator({ destroyOnReturn: false });
  } catch (cause) {
    throw new ConnectError("the client went away before its request was complete", Code.Canceled, {}, [], cause);
  }
}
