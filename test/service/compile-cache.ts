const folder = process.env["NODE_COMPILE_CACHE"];

/**
 * For a process that gets an environment of its own: where the processes of all tests keep compiled code, which
 * vitest.config.ts names.
 */
export const compileCache: Readonly<Record<string, string>> =
  folder === undefined ? {} : { NODE_COMPILE_CACHE: folder };
