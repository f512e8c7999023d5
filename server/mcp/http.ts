import type { Drs } from "@drs/client";
import { maxMessageBytes } from "./budget.ts";
import type { Report } from "./failures.ts";

interface Work {
  /** Calls on behalf of whoever sent the request. */
  readonly drs: Drs;
  readonly report: Report;
  /** Gets requests that break the protocol. */
  readonly note: Report;
}

/**
 * Answers requests of the protocol over HTTP, of either era; nothing is kept from one to the next. The protocol and the tools are
 * loaded with the first of them: most servers never get any.
 */
export function createMcpEndpoint() {
  return {
    maxBodyBytes: maxMessageBytes,
    async answer(request: Request, message: unknown, { drs, report, note }: Work): Promise<Response> {
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
