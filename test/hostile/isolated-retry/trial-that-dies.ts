import { once } from "node:events";
import { existsSync, writeFileSync } from "node:fs";
import { Worker } from "node:worker_threads";
import { createPagePool } from "../../../server/pipeline/threads/pool.ts";
import { serveTrials } from "../../../server/pipeline/process/isolated-retry/server.ts";

// A trial process in which pages do what no page of a real document can be made to do at will. What a page does is in
// the name of its file, `segfault.pdf`; files of other names are processed like all pages.

/** Grows by 50 MB at a time in a thread, as native code would that no limit of the pool reaches. */
const grow = `
  const held = [];
  setInterval(() => held.push(Buffer.alloc(50 * 2 ** 20, 1)), 20);
`;

const forever = (): Promise<never> => new Promise(() => setInterval(() => undefined, 1_000));

async function die(fate: string | undefined, file: string): Promise<void> {
  switch (fate) {
    case "segfault":
      process.kill(process.pid, "SIGSEGV");
      return forever();
    case "abort":
      return process.abort();
    case "exit-134":
      return process.exit(134);
    case "exit-0":
      return process.exit(0);
    case "heap": {
      const held: number[][] = [];
      for (;;) held.push(Array.from({ length: 1_000_000 }, (_, index) => index));
    }
    case "grow":
      await once(new Worker(grow, { eval: true }), "exit");
      return undefined;
    case "hang":
      return forever();
    case "segfault-once":
      if (existsSync(`${file}.once`)) return undefined;
      writeFileSync(`${file}.once`, "");
      process.kill(process.pid, "SIGSEGV");
      return forever();
    default:
      return undefined;
  }
}

const fateOf = (file: string): string | undefined => /([\w-]+)\.pdf$/.exec(file)?.[1];

serveTrials((options) => {
  const pool = createPagePool(options);
  return {
    ...pool,
    async countPages(file) {
      await die(fateOf(file), file);
      return pool.countPages(file);
    },
    async readPages(task, on, signal) {
      await die(fateOf(task.file), task.file);
      return pool.readPages(task, on, signal);
    },
  };
});
