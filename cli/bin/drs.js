#!/usr/bin/env node
// Plain JavaScript that runs on any Node: it finds a Node that can run the rest.
import { spawn } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import module, { createRequire } from "node:module";
import { constants } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

/** The oldest Node version that drs runs on: it needs type stripping, node:sqlite and fetch with streams. */
const neededMajor = 24;
const launched = "DRS_LAUNCHER_PID";
/** The package of the Node that npm installs beside drs, if there is one for this platform. */
const nodePackage = `node-${process.platform === "win32" ? "win" : process.platform}-${process.arch}`;

const here = (path) => fileURLToPath(new URL(path, import.meta.url));
const words = process.argv.slice(2);

if (words.length === 1 && (words[0] === "--version" || words[0] === "-V")) {
  process.stdout.write(`${JSON.parse(readFileSync(here("../package.json"), "utf8")).version}\n`);
} else if (Number.parseInt(process.versions.node, 10) >= neededMajor) {
  void dieWithLauncher();
  // As server/embedding/onnxruntime.ts does, but before any thread of this process could read its environment.
  process.env.ORT_DISABLE_TELEMETRY = "1";
  // Unbuilt sources are stripped of their types once, not at every start.
  module.enableCompileCache?.(compileCache());
  const main = existsSync(here("../main.ts")) ? "../main.ts" : "../main.js";
  const { start } = await import(new URL(main, import.meta.url).href);
  await start(words);
} else {
  launch(findNode());
}

/** Returns a folder of this user: in the system's temporary folder, others could plant code. */
function compileCache() {
  const { XDG_CACHE_HOME, HOME } = process.env;
  const caches = XDG_CACHE_HOME || (HOME && join(HOME, ".cache"));
  return caches ? join(caches, "drs", "compile-cache") : undefined;
}

function findNode() {
  try {
    const manifest = createRequire(import.meta.url).resolve(`${nodePackage}/package.json`);
    const path = join(dirname(manifest), JSON.parse(readFileSync(manifest, "utf8")).bin.node);
    return existsSync(path) ? path : undefined;
  } catch {
    return undefined;
  }
}

function launch(node) {
  if (node === undefined) {
    const { optionalDependencies } = JSON.parse(readFileSync(here("../package.json"), "utf8"));
    const missing =
      nodePackage in optionalDependencies
        ? `npm brings one along (${nodePackage}) unless it is told to leave out optional packages`
        : `npm has none to bring along for ${process.platform} ${process.arch}`;
    process.stderr.write(
      `drs needs Node ${neededMajor} or newer, and this is ${process.version}.\n` +
        `There is no other beside drs: ${missing}. Node ${neededMajor} is at https://nodejs.org\n`,
    );
    process.exitCode = 1;
    return;
  }
  // The pipe at 3 ends with this process, however it ends.
  const child = spawn(node, [fileURLToPath(import.meta.url), ...words], {
    stdio: ["inherit", "inherit", "inherit", "pipe"],
    env: { ...process.env, [launched]: String(process.pid) },
  });
  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"]) process.on(signal, () => child.kill(signal));
  child.on("error", (error) => {
    process.stderr.write(`cannot start ${node}: ${error.message}\n`);
    process.exitCode = 1;
  });
  child.on("exit", (code, signal) => process.exit(code ?? 128 + (constants.signals[signal] ?? 0)));
}

/** Kills this process when its launcher ends, even if that was killed: no other process knows this one. */
async function dieWithLauncher() {
  if (process.env[launched] !== String(process.ppid)) return;
  delete process.env[launched];
  const { Socket } = await import("node:net");
  const launcher = new Socket({ fd: 3, readable: true, writable: false });
  launcher.on("error", () => undefined);
  launcher.on("close", () => process.kill(process.pid, "SIGKILL"));
  launcher.resume();
  launcher.unref();
}
