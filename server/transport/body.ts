import { Code, ConnectError } from "@connectrpc/connect";
import type { NodeRequest } from "./exchange.ts";

/** The body, left as it is when its reader stops early: destroying it would take the connection and the answer along. */
export async function* bodyOf(request: NodeRequest): AsyncGenerator<Uint8Array> {
  try {
    yield* request.iterator({ destroyOnReturn: false });
  } catch (cause) {
    throw new ConnectError("the client went away before its request was complete", Code.Canceled, {}, [], cause);
  }
}
