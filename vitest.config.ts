import { join } from "node:path";
import { defineConfig } from "vitest/config";

export default defineConfig({
  test: {
    include: ["{server,cli,console,clients,tools,test,bench,models}/**/*.test.ts"],
    // Whole-service tests start real processes and render real pages; two cores are shared by all of them.
    testTimeout: 60_000,
    hookTimeout: 120_000,
    maxWorkers: 2,
    // Servers, workers and commands that tests start compile once what they have in common, not each for itself.
    env: { NODE_COMPILE_CACHE: join(import.meta.dirname, "node_modules", ".compile-cache") },
  },
});
