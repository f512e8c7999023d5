import { randomUUID } from "node:crypto";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { text } from "node:stream/consumers";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";

/** A message as it is on the wire, of which only what the way depends on is looked at. */
interface Message {
  readonly id?: string | number;
  readonly method?: string;
  readonly params?: { readonly _meta?: Readonly<Record<string, unknown>>; readonly progressToken?: unknown };
  readonly error?: { readonly code: number };
}

/** One server process, and who waits for what it says. */
interface Pipe {
  ask(message: Message, response: ServerResponse): Promise<void>;
  tell(message: Message): Promise<void>;
  close(): Promise<void>;
}

export interface PipeBridge {
  readonly url: string;
  close(): Promise<void>;
}

/** Processes at a time: a session that has not been used for so many others has ended. */
const maxPipes = 4;
const protocolVersion = "io.modelcontextprotocol/protocolVersion";
const subscription = "io.modelcontextprotocol/subscriptionId";

/** A connection over a pipe is of the era of the first request that does more than ask for eras. */
const opening = {
  jsonrpc: "2.0",
  id: "opening",
  method: "tools/list",
  params: {
    _meta: {
      [protocolVersion]: "2026-07-28",
      "io.modelcontextprotocol/clientInfo": { name: "bridge", version: "1" },
      "io.modelcontextprotocol/clientCapabilities": {},
    },
  },
};
/** The statuses that errors have over HTTP, by the specification of that transport. */
const statuses: ReadonlyMap<number, number> = new Map([
  [-32_601, 404],
  [-32_602, 400],
  [-32_022, 400],
  [-32_021, 400],
]);

/**
 * Lets programs that speak HTTP alone talk to a server that is a command with a pipe: messages pass as they are but for the
 * ids of requests, which several callers choose, and which are given back as they were chosen. Every session of the era with
 * a handshake is a process of its own; requests of the era without share one.
 */
export async function bridgePipe(command: readonly string[], env: Record<string, string>): Promise<PipeBridge> {
  const pipes = new Map<string, Pipe>();
  const without = await openPipe(command, env);
  await without.tell(opening);

  const openSession = async (): Promise<[string, Pipe]> => {
    const [oldest] = pipes;
    if (oldest !== undefined && pipes.size >= maxPipes) {
      pipes.delete(oldest[0]);
      await oldest[1].close();
    }
    const session = randomUUID();
    const pipe = await openPipe(command, env, true);
    pipes.set(session, pipe);
    return [session, pipe];
  };

  const answer = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const named = String(request.headers["mcp-session-id"] ?? "");
    if (request.method === "DELETE") {
      await pipes.get(named)?.close();
      pipes.delete(named);
      return void response.writeHead(200).end();
    }
    // There is no stream beside those of requests.
    if (request.method !== "POST") return void response.writeHead(405).end();
    const message: Message = JSON.parse(await text(request));
    const isOpening = message.method === "initialize" && message.params?._meta?.[protocolVersion] === undefined;
    const [session, pipe] = isOpening ? await openSession() : [named, pipes.get(named)];
    if (session !== "" && pipe === undefined) return void response.writeHead(404).end();
    if (session !== "") response.setHeader("mcp-session-id", session);
    if (message.id !== undefined && message.method !== undefined) return (pipe ?? without).ask(message, response);
    await (pipe ?? without).tell(message);
    response.writeHead(202).end();
  };

  const server = createServer((request, response) => {
    answer(request, response).catch((cause: unknown) => {
      if (!response.headersSent) response.writeHead(400);
      response.end(JSON.stringify({ jsonrpc: "2.0", error: { code: -32_700, message: String(cause) } }));
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const address = server.address();
  return {
    url: `http://127.0.0.1:${typeof address === "object" ? address?.port : ""}/mcp`,
    async close() {
      server.closeAllConnections();
      server.close();
      await Promise.all([without, ...pipes.values()].map((pipe) => pipe.close()));
    },
  };
}

async function openPipe(
  [program = "", ...args]: readonly string[],
  env: Record<string, string>,
  isSession = false,
): Promise<Pipe> {
  const transport = new StdioClientTransport({ command: program, args, env, stderr: "inherit" });
  const waiting = new Map<string, { readonly message: Message; readonly response: ServerResponse }>();
  let asked = 0;

  /** Whose request a notification belongs to. */
  const ownerOf = ({ params }: Message): string | undefined => {
    const subscribed = params?._meta?.[subscription];
    if (subscribed !== undefined) return String(subscribed);
    const isOfIt = (message: Message): boolean => message.params?._meta?.["progressToken"] === params?.progressToken;
    return params?.progressToken === undefined
      ? undefined
      : [...waiting].find(([, { message }]) => isOfIt(message))?.[0];
  };

  const onmessage = (heard: Message): void => {
    const isAnswer = heard.method === undefined;
    const owner = isAnswer ? String(heard.id) : ownerOf(heard);
    const found = owner === undefined ? undefined : waiting.get(owner);
    if (owner === undefined || found === undefined) return;
    const { message, response } = found;
    const passed = isAnswer ? { ...heard, id: message.id } : withSubscription(heard, message.id);
    if (isAnswer && !response.headersSent) {
      const status = isSession ? 200 : (statuses.get(heard.error?.code ?? 0) ?? 200);
      response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(passed));
    } else {
      if (!response.headersSent) response.writeHead(200, { "content-type": "text/event-stream" });
      response.write(`event: message\ndata: ${JSON.stringify(passed)}\n\n`);
      if (isAnswer) response.end();
    }
    if (isAnswer) waiting.delete(owner);
  };
  Object.assign(transport, { onmessage });
  await transport.start();

  const send = (message: Message): Promise<void> => transport.send(message as never);
  return {
    async ask(message, response) {
      asked += 1;
      const id = `bridged-${asked}`;
      waiting.set(id, { message, response });
      response.on("close", () => {
        if (!waiting.delete(id)) return;
        // Over HTTP a caller who goes away ends the request.
        const cancelled = { jsonrpc: "2.0", method: "notifications/cancelled", params: { requestId: id } };
        send(cancelled as Message).catch(() => undefined);
      });
      await send({ ...message, id });
    },
    tell: send,
    close: () => transport.close(),
  };
}

function withSubscription(heard: Message, id: Message["id"]): Message {
  if (heard.params?._meta?.[subscription] === undefined) return heard;
  return { ...heard, params: { ...heard.params, _meta: { ...heard.params._meta, [subscription]: id } } };
}
