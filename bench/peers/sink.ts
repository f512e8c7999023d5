import { createHash } from "node:crypto";
import { once } from "node:events";
import { open } from "node:fs/promises";
import { createServer, type IncomingMessage } from "node:http";
import { join } from "node:path";

// A server that only takes uploads, as a separate process: `node sink.ts discard` discards the body,
// `node sink.ts store FOLDER` hashes it and stores it on disk. It prints its port on the first line, and ends with its input.
const [kind = "", folder = ""] = process.argv.slice(2);

async function store(request: IncomingMessage): Promise<void> {
  const hash = createHash("sha256");
  const file = await open(join(folder, "sink.bin"), "w");
  for await (const chunk of request) {
    if (!Buffer.isBuffer(chunk)) throw new TypeError("a request without bytes");
    hash.update(chunk);
    await file.write(chunk);
  }
  await file.sync();
  await file.close();
  hash.digest("hex");
}

async function discard(request: IncomingMessage): Promise<void> {
  request.resume();
  await once(request, "end");
}

const server = createServer((request, response) => {
  const taken = kind === "store" ? store(request) : discard(request);
  taken.then(
    () => response.end("taken"),
    (cause: unknown) => response.writeHead(500).end(String(cause)),
  );
});
server.listen(0, "127.0.0.1", () => {
  const address = server.address();
  process.stdout.write(`${typeof address === "object" ? address?.port : ""}\n`);
});
process.stdin.resume().on("end", () => process.exit(0));
