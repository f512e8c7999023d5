import { defineConfig } from "vitest/config";

export default defineConfig({
  test: {
    include: ["{server,cli,console,clients,tools,test,bench,models}/**/*.test.ts"],
    // Whole-service tests start real processes and render real pages; two cores are shared by all of them.
    testTimeout: 60_000,
    hookTimeout: 120_000,
    maxWorkers: 2,
  },
});
