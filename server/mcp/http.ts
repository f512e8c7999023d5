import type { Drs } from "@drs/client";
import { maxMessageBytes } from "./budget.ts";
import type { Report } from "./failures.ts";

interface RequestContext {
  /** The client that acts for the sender of the request. */
  readonly drs: Drs;
  readonly report: Report;
  /** Receives requests that break the protocol. */
  readonly note: Report;
}

/**
 * Answers MCP requests over HTTP, in the earlier or the current form of the protocol, without any state between them.
 * The protocol and the tools are loaded with the first request: most servers never get one.
 */
export function createMcpEndpoint() {
  return {
    maxBodyBytes: maxMessageBytes,
    async answer(request: Request, message: unknown, { drs, report, note }: RequestContext): Promise<Response> {
      const [{ createMcpHandler }, { createMcp }] = await Promise.all([
        import("@modelcontextprotocol/server"),
        import("./server.ts"),
      ]);
      const workplace = { drs: () => Promise.resolve(drs), files: undefined, report };
      const handler = createMcpHandler(() => createMcp(workplace), {
        maxRequestBodySize: maxMessageBytes,
        onerror: note,
      });
      return handler.fetch(request, message === undefined ? {} : { parsedBody: message });
    },
  };
}
