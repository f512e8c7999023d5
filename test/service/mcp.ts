import { type CallToolResult, Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import { fileURLToPath } from "node:url";
import { compileCache } from "./compile-cache.ts";
import { knownVariables } from "./shared-stores.ts";

/** Eras of the Model Context Protocol: with sessions and handshake, and since 2026 without. */
export const eras = ["legacy", "modern"] as const;
export type Era = (typeof eras)[number];

/** A client as programs have them, which opens a connection in the way of an era. */
export function newClient(era: Era): Client {
  return new Client(
    { name: "drs tests", version: "1" },
    { versionNegotiation: { mode: era === "legacy" ? "legacy" : "auto" } },
  );
}

export async function connectOverHttp(era: Era, server: string, headers: Record<string, string>): Promise<Client> {
  const client = newClient(era);
  await client.connect(new StreamableHTTPClientTransport(new URL("/mcp", server), { requestInit: { headers } }));
  return client;
}

const drs = fileURLToPath(new URL("../../cli/bin/drs.js", import.meta.url));

export interface McpCommand {
  readonly client: Client;
  readonly pid: number;
  stderr(): string;
}

/** `drs mcp …` in a process of its own, with nothing in its environment but the path and what is given. */
export async function startMcpCommand(
  era: Era,
  words: readonly string[],
  env: Readonly<Record<string, string>>,
): Promise<McpCommand> {
  const { PATH = "" } = process.env;
  const transport = new StdioClientTransport({
    command: process.execPath,
    args: [drs, "mcp", ...words],
    env: { PATH, ...compileCache, ...knownVariables(env["DRS_DATA_DIR"]), ...env },
    stderr: "pipe",
  });
  let said = "";
  transport.stderr?.on("data", (piece: Buffer) => (said += piece.toString()));
  const client = newClient(era);
  await client.connect(transport);
  const { pid } = transport;
  if (pid === null) throw new Error(`drs mcp did not start: ${said}`);
  return { client, pid, stderr: () => said };
}

/** Calls a tool; checks what every result must be. */
export async function callTool(
  client: Client,
  name: string,
  input: Record<string, unknown> = {},
): Promise<{ result: CallToolResult; said: Record<string, unknown>; text: string; pictures: readonly Buffer[] }> {
  const result = await client.callTool({ name, arguments: input });
  const bytes = Buffer.byteLength(JSON.stringify(result));
  if (bytes > 1_000_000) throw new Error(`the result of ${name} has ${bytes} bytes`);
  const [first] = result.content;
  const text = first?.type === "text" ? first.text : "";
  const pictures = result.content.flatMap((block) =>
    block.type === "image" ? [Buffer.from(block.data, "base64")] : [],
  );
  return { result, text, said: parsed(text), pictures };
}

function parsed(text: string): Record<string, unknown> {
  try {
    return JSON.parse(text);
  } catch {
    return {};
  }
}
