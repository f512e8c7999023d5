import { spawn } from "node:child_process";
import { once } from "node:events";
import { startPostgres, withoutPostgres } from "../test/servers/postgres.ts";
import { hasS3Server, startS3Server } from "../test/servers/s3.ts";

/**
 * `npm run test:scale [-- FILES AND OPTIONS OF VITEST]`: runs the whole-service tests on shared stores, with a real PostgreSQL and
 * a real S3 server, which it starts and stops.
 */

/** The tests that run by default: those about several machines, and the most important ones for stores. */
const usual: readonly string[] = [
  "test/scale",
  "test/contract/api.test.ts",
  "test/hostile/isolation.test.ts",
  "test/hostile/tokens.test.ts",
  "test/features/shares.test.ts",
  "test/features/pages.test.ts",
  "test/features/outlines.test.ts",
  "test/features/fairness.test.ts",
  "test/features/plans.test.ts",
];

async function main(): Promise<number> {
  if (withoutPostgres !== "" || !hasS3Server) {
    process.stderr.write(
      `cannot run:${withoutPostgres || " DRS_TEST_S3_SERVER names no S3 server, see .ci/s3-server"}\n`,
    );
    return 2;
  }
  const postgres = await startPostgres();
  const s3 = await startS3Server();
  try {
    const given = process.argv.slice(2);
    const files = given.some((word) => !word.startsWith("-")) ? [] : usual;
    const vitest = spawn("vitest", ["run", "--configLoader", "runner", ...files, ...given], {
      stdio: "inherit",
      env: {
        ...process.env,
        ...s3.variables(),
        DRS_TEST_SHARED_DATABASE: postgres.url,
        DRS_TEST_SHARED_BUCKET: s3.bucket,
      },
    });
    const [code] = await once(vitest, "exit");
    return typeof code === "number" ? code : 1;
  } finally {
    await s3.stop();
    await postgres.close();
  }
}

process.exitCode = await main();
