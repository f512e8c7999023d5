/** The tools for models, over a pipe. Loads neither stores nor transport: they work with a client of the service. */
export { Refused } from "../mcp/failures.ts";
export { createLocalFiles } from "../mcp/local-files.ts";
export { serveOverStdio } from "../mcp/stdio.ts";
