import type { Readable, Writable } from "node:stream";
import { serveStdio, StdioServerTransport } from "@modelcontextprotocol/server/stdio";
import { maxMessageBytes } from "./budget.ts";
import { createMcp } from "./server.ts";
import type { ToolContext } from "./tool.ts";

interface Options {
  readonly stdin: Readable;
  /** Receives only messages of the protocol. */
  readonly stdout: Writable;
  /** Ends the connection. */
  readonly signal: AbortSignal;
}

/**
 * Serves one client over stdio. Resolves when the client has closed it or has sent something that is not a message,
 * or when the signal fires; running requests are then cancelled.
 */
export async function serveOverStdio(workplace: ToolContext, { stdin, stdout, signal }: Options): Promise<void> {
  const transport = new StdioServerTransport(stdin, stdout, { maxBufferSize: maxMessageBytes });
  const connection = serveStdio(() => createMcp(workplace), { transport, onerror: workplace.report });
  const closed = new Promise<void>((resolve) => {
    const { onclose: before } = transport;
    const onclose = (): void => {
      before?.();
      resolve();
    };
    Object.assign(transport, { onclose });
  });
  const end = (): void => void connection.close();
  signal.addEventListener("abort", end, { once: true });
  if (signal.aborted) end();
  await closed;
  signal.removeEventListener("abort", end);
}
