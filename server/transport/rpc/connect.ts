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
import type { UniversalHandler } from "@connectrpc/connect/protocol";
import type { Handler } from "../dispatch.ts";
import { bodyOf, recordKey } from "../http/exchange.ts";
import { closeIfEarly } from "../http/linger.ts";
import { answerBrokenText, blameUnreadable } from "./unreadable.ts";

/** Enough for the largest message, a search with an attached picture. Documents come in pieces. */
const defaultMaxMessageBytes = 32 * 2 ** 20;

const compressions = [compressionGzip, compressionBrotli];

interface Options extends Pick<ConnectRouterOptions, "interceptors" | "requestGate"> {
  readonly services: readonly DescService[];
  readonly maxMessageBytes?: number | undefined;
}

/** Creates the handlers of the methods that the routes register, by path. Each answers Connect, gRPC and gRPC-Web. */
export function createConnectHandlers(
  routes: (router: ConnectRouter) => void,
  { services, maxMessageBytes = defaultMaxMessageBytes, ...options }: Options,
): ReadonlyMap<string, Handler> {
  const router = createConnectRouter({
    ...options,
    readMaxBytes: maxMessageBytes,
    jsonOptions: {
      // As over REST: a misspelt filter must not pass as no filter.
      ignoreUnknownFields: false,
      // The types that a google.protobuf.Any may contain.
      registry: createRegistry(...services.map(({ file }) => file)),
    },
    acceptCompression: compressions,
  });
  routes(router);
  return new Map(router.handlers.map((handler) => [handler.requestPath, answering(handler)]));
}

function answering(handler: UniversalHandler): Handler {
  return async ({ request, response, record }) => {
    if (record.protocol === "http") record.protocol = "connect";
    record.method = `${handler.service.typeName}/${handler.method.name}`;
    const values = createContextValues().set(recordKey, record);
    try {
      const asked = universalRequestFromNodeRequest(request, response, undefined, values);
      const handled = await handler({ ...asked, body: bodyOf(request) }).catch((cause: unknown) =>
        answerBrokenText(cause, asked.header),
      );
      const answer = await blameUnreadable(handled, compressions);
      closeIfEarly({ request, response });
      await universalResponseToNodeResponse(answer, response);
    } catch (cause) {
      // The client is gone, or the answer cannot be completed. Errors of the call itself are answers.
      if (ConnectError.from(cause).code !== Code.Aborted) record.log.debug({ err: cause }, "answer broken off");
      response.destroy();
    }
  };
}
