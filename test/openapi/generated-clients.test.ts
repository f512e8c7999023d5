import { cp, mkdtemp, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { makePdf } from "../fixtures/pdf.ts";
import { startServer, type TestServer } from "../service/start.ts";
import { generatorsReason, hasGenerators, nodeModules, run, runPackage, runPython } from "./generators.ts";

const minutes = makePdf({
  pages: ["Budget", "Heating of the old building", "Staff"].map((text) => ({ text })),
});

/** Generators and compilers start slowly on a machine with other work. */
const maxMs = 300_000;

/** The output of a client that has uploaded the minutes and asked for heating. */
const used = { fileName: "report.pdf", pages: [1, 2, 3], found: 2, picture: "ffd8ff" };

describe.skipIf(!hasGenerators)(`clients generated from the OpenAPI document${generatorsReason}`, () => {
  let server: TestServer;
  let folder: string;
  let asked: readonly [server: string, apiKey: string, document: string, query: string];
  beforeAll(async () => {
    server = await startServer();
    folder = await mkdtemp(join(tmpdir(), "drs-generated-"));
    await writeFile(join(folder, "minutes.pdf"), minutes);
    await writeFile(join(folder, "openapi.json"), await (await fetch(`${server.url}/v1/openapi.json`)).bytes());
    asked = [server.url, server.credentials.apiKey, join(folder, "minutes.pdf"), "heating"];
  });
  afterAll(async () => {
    await server.remove();
    await rm(folder, { recursive: true, force: true });
  });

  test(
    "the document is valid for two validators",
    async () => {
      expect(await runPython(["-m", "openapi_spec_validator", "openapi.json"], folder)).toContain("OK");
      expect(JSON.parse(await runPackage("validate-api", ["openapi.json"], folder))).toEqual({ valid: true });
    },
    maxMs,
  );

  test(
    "in Python it uploads, waits, lists, searches and fetches a page",
    async () => {
      const client = join(folder, "python");
      await cp(fileURLToPath(new URL("clients/python", import.meta.url)), client, { recursive: true });
      const words = ["generate", "--path", "../openapi.json", "--config", "generator.yaml", "--meta", "none"];
      const place = ["--output-path", "drs_generated", "--fail-on-warning"];
      await runPython(["-m", "openapi_python_client", ...words, ...place], client);
      expect(JSON.parse(await runPython(["use_client.py", ...asked], client))).toEqual(used);
    },
    maxMs,
  );

  test(
    "in TypeScript it compiles, uploads, waits, lists, searches and fetches a page",
    async () => {
      const client = join(folder, "typescript");
      await cp(fileURLToPath(new URL("clients/typescript", import.meta.url)), client, { recursive: true });
      await symlink(nodeModules, join(client, "node_modules"));
      await runPackage("openapi-ts", ["--silent"], client);
      await runPackage("tsc", ["-p", "."], client);
      const output = await run(process.execPath, ["built/use-client.js", ...asked], { cwd: client });
      expect(JSON.parse(output)).toEqual(used);
    },
    maxMs,
  );
});
