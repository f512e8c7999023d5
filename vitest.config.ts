import { join } from "node:path";
import { defineConfig } from "vitest/config";

/** Of one module or a few, beside which they stand. */
const units = "{server,cli,console,clients,tools,bench,models}/**/*.test.ts";

export default defineConfig({
  test: {
    // Whole-service tests start real processes and render real pages; two cores are shared by all of them.
    testTimeout: 60_000,
    hookTimeout: 120_000,
    maxWorkers: 2,
    // Servers, workers and commands that tests start compile once what they have in common, not each for itself.
    env: { NODE_COMPILE_CACHE: join(import.meta.dirname, "node_modules", ".compile-cache") },
    projects: [
      // Modules that many of them import are loaded once: most of them take longer to load than to run.
      { extends: true, test: { name: "units", include: [units], isolate: false } },
      { extends: true, test: { name: "service", include: ["test/**/*.test.ts"] } },
    ],
  },
});
