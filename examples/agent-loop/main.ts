import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import { type Content, type Model, scriptedModel } from "./model.ts";

/** A model that keeps calling tools is stopped after this many rounds. */
const maxTurns = 10;

/** Answers a question with the tools of drs: the loop of every agent. */
export async function answer(question: string, client: Client, model: Model): Promise<string> {
  const seen: Content[][] = [];
  for (let turn = 0; turn < maxTurns; turn += 1) {
    const next = await model.next(question, seen);
    if (next.kind === "answer") return next.text;
    console.error(`→ ${next.tool} ${JSON.stringify(next.input)}`);
    const { content } = await client.callTool({ name: next.tool, arguments: next.input });
    const blocks = content.filter((block) => block.type === "text" || block.type === "image");
    console.error(`← ${blocks.filter(({ type }) => type === "image").length} pictures`);
    seen.push(blocks);
  }
  throw new Error(`the model has called tools ${maxTurns} times without an answer`);
}

const [question = "what is this about?"] = process.argv.slice(2);
const { DRS_SERVER: server, DRS_API_KEY: key, DRS_COMMAND: command = "drs mcp", PATH = "", ...env } = process.env;
const [program = "drs", ...words] = command.split(" ");
const transport =
  server !== undefined && key !== undefined
    ? new StreamableHTTPClientTransport(new URL("/mcp", server), { requestInit: { headers: { "x-api-key": key } } })
    : new StdioClientTransport({ command: program, args: words, env: { PATH, ...known(env) } });
const client = new Client({ name: "agent-loop", version: "1" }, { versionNegotiation: { mode: "auto" } });
await client.connect(transport);
try {
  console.log(await answer(question, client, scriptedModel));
} finally {
  await client.close();
}

function known(variables: NodeJS.ProcessEnv): Record<string, string> {
  return Object.fromEntries(Object.entries(variables).flatMap(([name, value]) => (value ? [[name, value]] : [])));
}
