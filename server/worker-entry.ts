import { extname } from "node:path";

/** The module that a supervisor starts as the worker process, with the extension of the sources or of the build. */
export const workerEntry = new URL(`./worker-process${extname(import.meta.url)}`, import.meta.url);
