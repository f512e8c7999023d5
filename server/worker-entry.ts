import { extname } from "node:path";

/** The module that a supervisor starts as the worker process; a file of its own ending, as sources and as built. */
export const workerEntry = new URL(`./worker-process${extname(import.meta.url)}`, import.meta.url);
