import { Code, ConnectError } from "@connectrpc/connect";
import { universalResponseToNodeResponse } from "@connectrpc/connect-node";
import type { UniversalServerResponse } from "@connectrpc/connect/protocol";
import { errorToJsonBytes } from "@connectrpc/connect/protocol-connect";
import { setTrailerStatus } from "@connectrpc/connect/protocol-grpc";
import { codeName, noSuchPath } from "../errors.ts";
import type { Exchange } from "../http/exchange.ts";
import { closeIfEarly } from "../http/linger.ts";

/** Content types that only RPC calls have; JSON may as well be intended for REST. */
const callTypes = /^application\/(?:grpc|proto$|connect\+)/;

/** Answers a request to an unknown path. */
export async function answerUnknownPath(exchange: Exchange): Promise<void> {
  if (!isCall(exchange)) throw noSuchPath(exchange.path);
  await answerUnknownMethod(exchange);
}

/** Whether a request to an unknown path was intended as an RPC call. */
function isCall({ request: { method, headers } }: Exchange): boolean {
  // Answers to HEAD have no trailers, and a GET call has no content type.
  if (method !== "POST") return false;
  const [type = ""] = (headers["content-type"] ?? "").split(";", 1);
  return headers["connect-protocol-version"] !== undefined || callTypes.test(type.trim().toLowerCase());
}

/** Answers a call of an unknown method in the protocol of the call, so that its client can read the answer. */
async function answerUnknownMethod({ request, response, path, record }: Exchange): Promise<void> {
  const error = new ConnectError(`there is no method ${path}`, Code.Unimplemented);
  record.code = codeName(error.code);
  if (record.protocol === "http") record.protocol = "connect";
  closeIfEarly({ request, response });
  const type = request.headers["content-type"] ?? "";
  const status = setTrailerStatus(new Headers(), error);
  switch (record.protocol) {
    case "grpc":
      return send({ status: 200, header: new Headers({ "content-type": type }), body: bytes(), trailer: status });
    case "grpc-web":
      // Without a message, the trailers may be in the head of the answer.
      status.set("content-type", type);
      return send({ status: 200, header: status, body: bytes() });
    default: {
      const header = new Headers({ "content-type": "application/json" });
      return send({ status: 404, header, body: bytes(errorToJsonBytes(error, undefined)) });
    }
  }

  function send(answer: UniversalServerResponse): Promise<void> {
    return universalResponseToNodeResponse(answer, response);
  }
}

async function* bytes(...chunks: Uint8Array[]): AsyncGenerator<Uint8Array> {
  yield* chunks;
}
