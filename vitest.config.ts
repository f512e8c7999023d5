import { globSync } from "node:fs";
import { join } from "node:path";
import { configDefaults, defineConfig } from "vitest/config";

/** The tests of one module or a few, beside which they stand. */
const units = "{server,cli,console,clients,tools,bench,models}/**/*.test.ts";

/** Unit tests that wait for real time-outs, or run real converters and models: 10 to 60 s a file. `npm test` leaves them out. */
const slowUnits = [
  "server/pipeline/convert/{wasm,fonts,losses}/**/*.test.ts",
  "server/pipeline/convert/prepare/hostile.test.ts",
  "server/pipeline/jobs/cleanup/upkeep.test.ts",
  "server/pipeline/process/environment.test.ts",
  "server/pipeline/threads/pool.test.ts",
  "server/embedding/text/memory.test.ts",
  "server/transport/http/listener.test.ts",
  "server/transport/limits/pace.test.ts",
  "server/storage/vectors/caches.test.ts",
  "clients/typescript/uploads/upload-in-parts.test.ts",
  "cli/completion/completion.test.ts",
  "cli/bin/drs.test.ts",
  "models/**/*.test.ts",
];

const wholeService = "test/**/*.test.ts";

/** The whole-service tests that `npm test` runs: one of each kind, those that fail first when something is broken. */
const quickService = [
  "test/architecture/*.test.ts",
  "test/stores/{blobs,vectors}.test.ts",
  "test/hostile/isolation.test.ts",
  "test/features/quickstart-keep.test.ts",
  "test/console/whole-way.test.ts",
];

/** Whole-service tests of which `npm test` runs a part: the contract over REST alone, the metadata in SQLite alone. */
const partlyQuickService = ["test/contract/api.test.ts", "test/stores/metadata.test.ts"];

for (const pattern of [...slowUnits, ...quickService, ...partlyQuickService]) {
  if (globSync(pattern, { cwd: import.meta.dirname }).length === 0) throw new Error(`no test matches ${pattern}`);
}

interface Tier {
  readonly units: readonly string[];
  readonly service: readonly string[];
  readonly exclude: readonly string[];
}

/** The tests by mode: `quick` is `npm test`, `rest` is all that it leaves out, and no mode is `npm run test:full`. */
const tiers: Readonly<Record<string, Tier>> = {
  quick: { units: [units], service: [...quickService, ...partlyQuickService], exclude: slowUnits },
  rest: { units: slowUnits, service: [wholeService], exclude: quickService },
};
const full: Tier = { units: [units], service: [wholeService], exclude: [] };

export default defineConfig(({ mode }) => {
  const tier = tiers[mode] ?? full;
  const exclude = [...configDefaults.exclude, ...tier.exclude];
  return {
    test: {
      // Whole-service tests start real processes and render real pages; two cores are shared by all of them.
      testTimeout: 60_000,
      hookTimeout: 120_000,
      maxWorkers: 2,
      env: {
        // Servers, workers and commands that tests start compile once what they have in common, not each for itself.
        NODE_COMPILE_CACHE: join(import.meta.dirname, "node_modules", ".compile-cache"),
        ...(mode === "quick" && { DRS_TEST_QUICK: "1" }),
      },
      projects: [
        {
          extends: true,
          // Modules that many of them import are loaded once: most of them take longer to load than to run.
          test: { name: "units", include: [...tier.units], exclude, isolate: false },
        },
        { extends: true, test: { name: "service", include: [...tier.service], exclude } },
      ],
    },
  };
});
