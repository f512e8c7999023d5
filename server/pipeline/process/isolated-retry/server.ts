import type { PageFailure } from "../../../domain/jobs/job.ts";
import type { PagePool, PagePoolOptions } from "../../threads/pool.ts";
import { failureOf } from "../failures.ts";
import type { FromTrial, ToTrial, TrialResult, TrialTask } from "./messages.ts";

type TrialPool = Pick<PagePool, "countPages" | "readPages" | "embedPages" | "renderPage">;

/**
 * Makes this process a trial process: it runs the tasks of its parent, one page at a time, in a pool of one thread, and lives as
 * long as its parent.
 */
export function serveTrials(createPool: (options: PagePoolOptions) => TrialPool): void {
  let pool: TrialPool | undefined;

  process.on("message", (message: ToTrial) => {
    if (message.kind === "start") {
      pool = createPool({ threads: 1, warm: false, ...message.limits });
      void send({ kind: "ready" });
    } else if (pool !== undefined) {
      void answer(pool, message.id, message.task);
    }
  });
  // A thread in the middle of native code would delay an orderly exit.
  process.on("disconnect", () => process.kill(process.pid, "SIGKILL"));
}

async function answer(pool: TrialPool, id: number, task: TrialTask): Promise<void> {
  // Sends this before the page can do any harm, so that the parent knows the current page.
  await send({ kind: "begun", id });
  try {
    await send({ kind: "result", id, result: await run(pool, task) });
  } catch (cause) {
    await send({ kind: "failure", id, failure: failureOf(cause) });
  }
}

async function run(pool: TrialPool, task: TrialTask): Promise<TrialResult> {
  const { file } = task;
  switch (task.kind) {
    case "count":
      return { kind: "count", pages: await pool.countPages(file) };
    case "read":
      return { kind: "read", read: await single((on) => pool.readPages({ file, pages: [task.page] }, on)) };
    case "embed": {
      const { page, words, packDir } = task;
      const pages = [{ page, words }];
      return { kind: "embed", embedded: await single((on) => pool.embedPages({ file, pages, packDir }, on)) };
    }
    case "render":
      return {
        kind: "render",
        bytes: await pool.renderPage({ file, page: task.page, row: task.row, width: task.width }),
      };
  }
}

interface Listener<Result> {
  start(): void;
  page(result: Result | PageFailure): void;
}

/** Returns the only result of a run over one page. */
async function single<Result>(run: (on: Listener<Result>) => Promise<void>): Promise<Result | PageFailure> {
  let found: { readonly result: Result | PageFailure } | undefined;
  await run({ start: () => undefined, page: (result) => void (found = { result }) });
  if (found === undefined) throw new Error("the page got no result");
  return found.result;
}

/** Sends a message; resolves once it is written. */
function send(message: FromTrial): Promise<void> {
  return new Promise((resolve) => {
    if (process.send === undefined || !process.connected) resolve();
    else process.send(message, () => resolve());
  });
}
