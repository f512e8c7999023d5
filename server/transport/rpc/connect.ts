import { createRegistry, type DescService } from "@bufbuild/protobuf";
import {
  Code,
  ConnectError,
  type ConnectRouter,
  type ConnectRouterOptions,
  createConnectRouter,
  createContextValues,
} from "@connectrpc/connect";
import {
  compressionBrotli,
  compressionGzip,
  universalRequestFromNodeRequest,
  universalResponseToNodeResponse,
} from "@connectrpc/connect-node";
import { bodyOf } from "../http/body.ts";
import { type Exchange, recordKey } from "../http/exchange.ts";
import { closeIfEarly } from "../http/linger.ts";
import { blameUnreadable } from "./unreadable.ts";

/** Answers a Connect, gRPC or gRPC-Web request; false if the path is none of a method. */
export type ConnectHandler = (exchange: Exchange) => Promise<boolean>;

/** The largest message: a search for a picture that comes along with it. Documents come in pieces. */
const defaultMaxMessageBytes = 32 * 2 ** 20;

const compressions = [compressionGzip, compressionBrotli];

interface Options extends Pick<ConnectRouterOptions, "interceptors" | "requestGate"> {
  readonly services: readonly DescService[];
  readonly maxMessageBytes?: number | undefined;
}

export function createConnectHandler(
  routes: (router: ConnectRouter) => void,
  { services, maxMessageBytes = defaultMaxMessageBytes, ...options }: Options,
): ConnectHandler {
  const router = createConnectRouter({
    ...options,
    readMaxBytes: maxMessageBytes,
    jsonOptions: {
      // As over REST: a filter that is misspelt must not be one that filters nothing.
      ignoreUnknownFields: false,
      // What a google.protobuf.Any may hold.
      registry: createRegistry(...services.map(({ file }) => file)),
    },
    acceptCompression: compressions,
  });
  routes(router);
  const handlers = new Map(router.handlers.map((handler) => [handler.requestPath, handler]));
  return async ({ request, response, path, record }) => {
    const handler = handlers.get(path);
    if (handler === undefined) return false;
    if (record.protocol === "http") record.protocol = "connect";
    record.method = `${handler.service.typeName}/${handler.method.name}`;
    const values = createContextValues().set(recordKey, record);
    try {
      const asked = universalRequestFromNodeRequest(request, response, undefined, values);
      const answer = await blameUnreadable(await handler({ ...asked, body: bodyOf(request) }), compressions);
      closeIfEarly({ request, response });
      await universalResponseToNodeResponse(answer, response);
    } catch (cause) {
      // The client is gone, or the answer cannot be written to its end; errors of the call itself are an answer.
      if (ConnectError.from(cause).code !== Code.Aborted) record.log.debug({ err: cause }, "answer broken off");
      response.destroy();
    }
    return true;
  };
}
