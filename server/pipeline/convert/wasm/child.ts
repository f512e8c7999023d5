import { readFileSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, extname } from "node:path";
import { Worker } from "node:worker_threads";
import {
  ConversionError,
  ConversionErrorCode,
  LibreOfficeConverter,
  type LibreOfficeWasmOptions,
} from "@matbee/libreoffice-converter";
import { cjkFonts, scriptFonts } from "../fonts/packages.ts";
import type { FromWasm, WasmTask } from "./messages.ts";
import { wasmLoaderPath } from "./package.ts";
import { setTimeout as sleep } from "node:timers/promises";

/** LibreOffice's message if no filter could read the document (desktop/source/lib/init.cxx in its source). */
const unreadable = /loadComponentFromURL returned an empty reference/;

type Loader = NonNullable<LibreOfficeWasmOptions["wasmLoader"]>;

/**
 * Runs WASM LibreOffice in a separate process, because its loader replaces global functions of Node and its conversions block the
 * thread. The process may be killed at any time, and ends when its parent does.
 */
async function main(): Promise<void> {
  process.on("disconnect", () => process.exit(0));
  const watch = new Worker(new URL(`./parent-watch${extname(import.meta.url)}`, import.meta.url), {
    workerData: { parent: process.ppid },
  });
  watch.unref();
  const office = await start();
  process.on("message", (task: WasmTask) => void convert(office, task).then(send));
  send({ kind: "ready" });
}

async function start(): Promise<LibreOfficeConverter> {
  const path = wasmLoaderPath();
  if (path === undefined) throw new Error("@matbee/libreoffice-converter is not installed");
  const wasmPath = dirname(path);
  // Its threads load their code relative to the working folder, even long after the start.
  process.chdir(wasmPath);
  const loader: unknown = createRequire(import.meta.url)(path);
  if (!isLoader(loader)) throw new Error("@matbee/libreoffice-converter has another loader than expected");
  const fonts = [...cjkFonts(), ...scriptFonts()].map(({ name, path }) => ({
    filename: name,
    data: readFileSync(path),
  }));
  const office = new LibreOfficeConverter({ wasmPath, wasmLoader: loader, fonts });
  await office.initialize();
  await untilQuiet();
  return office;
}

async function convert(office: LibreOfficeConverter, { input, format, output, options }: WasmTask): Promise<FromWasm> {
  try {
    const bytes = readFileSync(input);
    const made = await make(office, bytes, format, options);
    if ("kind" in made) return made;
    writeFileSync(output, made.data);
    return { kind: "done" };
  } catch (cause) {
    return { kind: "failed", whose: "system", message: messageOf(cause) };
  }
}

async function make(
  office: LibreOfficeConverter,
  bytes: Buffer,
  format: WasmTask["format"],
  options: string | undefined,
): Promise<{ data: Uint8Array } | Extract<FromWasm, { kind: "failed" }>> {
  try {
    return await office.convert(
      bytes,
      { inputFormat: format, outputFormat: "pdf", ...(options === undefined ? {} : { filterOptions: options }) },
      `document.${format}`,
    );
  } catch (cause) {
    const message = messageOf(cause);
    const refused = cause instanceof ConversionError && cause.code === ConversionErrorCode.LOAD_FAILED;
    return { kind: "failed", whose: refused || unreadable.test(message) ? "document" : "engine", message };
  }
}

function isLoader(value: unknown): value is Loader {
  return (
    typeof value === "object" && value !== null && "createModule" in value && typeof value.createModule === "function"
  );
}

function messageOf(cause: unknown): string {
  return cause instanceof Error ? cause.message : String(cause);
}

function send(message: FromWasm): void {
  if (process.connected) process.send?.(message);
}

const lookMs = 200;
/** Processor time per interval below which the process is idle: less than a tenth of one processor. */
const quietMs = 20;
const quietLooks = 2;
/** Maximum wait. Reading after the start takes less; if the process is busy for longer, the cause is something else. */
const maxWaitMs = 30_000;

/**
 * Waits until this process is idle. After its start WASM LibreOffice keeps reading in a thread that needs the main thread for
 * every file, so a document that arrives too early would wait for each of those reads (see `watchStall`).
 */
async function untilQuiet(): Promise<void> {
  const deadline = performance.now() + maxWaitMs;
  let last = used();
  let quiet = 0;
  while (quiet < quietLooks && performance.now() < deadline) {
    await sleep(lookMs);
    const now = used();
    quiet = now - last < quietMs ? quiet + 1 : 0;
    last = now;
  }
}

/** Returns the processor time of all threads in milliseconds. */
function used(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1000;
}

main().catch((cause: unknown) => {
  send({ kind: "failed-start", message: messageOf(cause) });
  process.disconnect?.();
});
