import { type ChildProcess, spawn } from "node:child_process";
import { existsSync, watch } from "node:fs";

/**
 * `npm run dev [-- FLAGS]`: runs `drs serve` on the data folder `.drs` with the settings of `.env`, and restarts it when a source
 * file changes. Node's own `--watch` does not see the files of the worker process, and `--watch-path` aborts at Ctrl-C on Linux.
 */
const watched = ["server", "cli", "clients/typescript", "models/builtin"];
const ignored = /\.(test\.ts|md)$/;
/** Milliseconds of quiet before a restart: editors and git write several files at once. */
const quietMs = 100;
/** Milliseconds to wait for the server, which gives back running jobs before it ends. */
const stopTimeoutMs = 5_000;

const env = existsSync(".env") ? ["--env-file=.env"] : [];
const command = [...env, "cli/bin/drs.js", "serve", "--data-dir", ".drs", ...process.argv.slice(2)];

let server: ChildProcess | undefined;
let restart: NodeJS.Timeout | undefined;
/** The action when the server ends. */
let next: "wait" | "start" | "exit" = "wait";

function start(): void {
  next = "wait";
  server = spawn(process.execPath, command, { stdio: "inherit" });
  server.once("exit", (code) => {
    server = undefined;
    if (next === "exit") process.exit(code ?? 1);
    if (next === "start") start();
    else console.log("the server has ended; it starts again when a file changes");
  });
}

function startAnew(): void {
  restart = undefined;
  if (server === undefined) return start();
  next = "start";
  stop(server);
}

function stop(running: ChildProcess): void {
  running.kill("SIGTERM");
  const end = setTimeout(() => running.kill("SIGKILL"), stopTimeoutMs);
  running.once("exit", () => clearTimeout(end));
}

for (const folder of watched) {
  watch(folder, { recursive: true }, (_, file) => {
    if (file === null || ignored.test(file)) return;
    if (restart === undefined) console.log(`${folder}/${file} has changed`);
    clearTimeout(restart);
    restart = setTimeout(startAnew, quietMs);
  });
}
for (const signal of ["SIGINT", "SIGTERM"] as const) {
  process.on(signal, () => {
    clearTimeout(restart);
    if (server === undefined) process.exit(0);
    // Ctrl-C reaches the server as well, and a second one ends it at once.
    if (next !== "exit") stop(server);
    next = "exit";
  });
}
start();
