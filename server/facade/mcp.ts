/** MCP tools over stdio. Loads neither stores nor transport: the tools use a client of the service. */
export { UserError } from "../mcp/failures.ts";
export { createLocalFiles } from "../mcp/local-files.ts";
export { serveOverStdio } from "../mcp/stdio.ts";
