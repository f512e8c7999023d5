import { Code, ConnectError } from "@connectrpc/connect";
import type { NodeRequest } from "./exchange.ts";

/** How to ask for the body, of requests that wait for that (RFC 9110, section 10.1.1). */
const expecting = new WeakMap<NodeRequest, () => void>();

/** The client sends the body when it is asked to, or has waited for too long. */
export function expectContinue(request: NodeRequest, ask: () => void): void {
  expecting.set(request, ask);
}

/** The body, left as it is when its reader stops early: destroying it would take the connection and the answer along. */
export async function* bodyOf(request: NodeRequest): AsyncGenerator<Uint8Array> {
  expecting.get(request)?.();
  expecting.delete(request);
  try {
    yield* request.iterator({ destroyOnReturn: false });
  } catch (cause) {
    throw new ConnectError("the client went away before its request was complete", Code.Canceled, {}, [], cause);
  }
}
