import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";

const drs = fileURLToPath(new URL("../../../cli/bin/drs.js", import.meta.url));

/** `drs …` with what this process has in its environment; throws with what it says unless it succeeds. */
function run(...words: string[]): string {
  return execFileSync(process.execPath, [drs, ...words], { encoding: "utf8" });
}

/** Starts a `drs` that goes on until it is told to stop, once it has said its first line. */
async function start(...words: string[]): Promise<{ stop(): Promise<void> }> {
  const child = spawn(process.execPath, [drs, ...words, "--log", "error"], { stdio: ["ignore", "pipe", "inherit"] });
  // A process that waits for this one waits for all that have its output.
  process.once("exit", () => child.kill("SIGKILL"));
  await once(createInterface({ input: child.stdout }), "line");
  return {
    async stop() {
      child.kill("SIGTERM");
      await once(child, "exit");
      if (child.exitCode !== 0) throw new Error(`drs ${words.join(" ")} ended with ${child.exitCode}`);
    },
  };
}

function expectFound(question: string, fileName: string, ...words: string[]): void {
  const found = run("search", question, ...words);
  if (!found.includes(fileName)) throw new Error(`${question} did not find ${fileName} but ${found}`);
}

/**
 * `node use-service.ts FOLDER`: every command that opens a document or a model, on FOLDER/documents. Server with a worker
 * of its own and without, a worker alone, commands that serve themselves, checks of a model pack and of the machine.
 */
async function main(folder: string): Promise<void> {
  const documents = `${folder}/documents`;
  const server = await start("serve", "--port", "0", "--no-worker");
  const worker = await start("worker");
  run("upload", "-r", documents, "--vectorize");
  expectFound("when are the lamps of the port turned on", "harbour.pdf", "--save", `${folder}/found`);
  await worker.stop();
  await server.stop();

  const both = await start("serve", "--port", "0");
  run("upload", `${documents}/harbour.pdf`, "--vectorize", "--force");
  expectFound("roses", "garden.docx");
  await both.stop();

  expectFound("spring", "garden.docx");
  run("models", "verify");
  run("doctor");
  process.stdout.write("done\n");
}

await main(process.argv[2] ?? "");
