import { createIsolatedRetries } from "../../../server/pipeline/process/isolated-retry/trials.ts";
import pino from "pino";

// Stands for the worker process: tries the page of a file that its test names, until it is killed itself.
const [file = ""] = process.argv.slice(2);
const trials = createIsolatedRetries({ log: pino({ level: "silent" }), pageTimeoutMs: 600_000, maxRssBytes: 2 ** 30 });
await trials.readPage({ file, page: 1 });
