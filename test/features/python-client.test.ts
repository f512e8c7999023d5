import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { makePdf } from "../fixtures/pdf.ts";
import { startServer, type TestServer } from "../service/start.ts";
import {
  buildWheel,
  clientFolder,
  hasPython,
  makeEnvironment,
  pyright,
  pythonReason,
  run,
} from "./python-client/environment.ts";

/** Type checkers and notebooks take their time on a machine with other work. */
const maxMs = 600_000;

describe.skipIf(!hasPython)(`the Python client${pythonReason}`, () => {
  let server: TestServer;
  let folder: string;
  let wheel: string;
  /** The programs of an environment that has everything that the tests of the client need. */
  let programs: string;
  let service: Record<string, string>;
  beforeAll(async () => {
    server = await startServer();
    folder = await mkdtemp(join(tmpdir(), "drs-python-"));
    service = { DRS_SERVER: server.url, DRS_API_KEY: server.credentials.apiKey, DRS_TEST_DATA_DIR: server.dataDir };
    wheel = await buildWheel(join(folder, "wheel"));
    programs = await makeEnvironment(join(folder, "everything"), wheel, ["--all-extras", "--all-groups"]);
  }, maxMs);
  afterAll(async () => {
    await server.remove();
    await rm(folder, { recursive: true, force: true });
  });

  const caches = (): string => join(folder, "caches");

  test(
    "the wheel alone uploads, waits and finds, in an environment with nothing else",
    async () => {
      const empty = await makeEnvironment(join(folder, "empty"), wheel, ["--no-dev"]);
      const pages = ["Budget", "Heating of the old building", "Staff"].map((text) => ({ text }));
      const program = `
import base64, importlib.util, sys
from drs_client import Drs
assert importlib.util.find_spec("PIL") is None
job = Drs().upload(base64.b64decode(sys.argv[1]), vectorize=True)
job.wait()
print(Drs().search("heating", dataset_ids=job.dataset_id)[0].page)
`;
      const document = Buffer.from(makePdf({ pages })).toString("base64");
      expect(await run(join(empty, "python"), ["-c", program, document], folder, service)).toBe("2\n");
    },
    maxMs,
  );

  test(
    "its own tests pass against a server, LangChain's suite among them",
    async () => {
      const words = ["-m", "pytest", "-q", "--import-mode=append", "-p", "no:cacheprovider", "tests"];
      const said = await run(join(programs, "python"), words, clientFolder, { ...service, HOME: folder });
      expect(said).toMatch(/\d+ passed/);
      expect(said).not.toMatch(/skipped|failed/);
    },
    maxMs,
  );

  test(
    "ruff, mypy and pyright have nothing to say",
    async () => {
      await run(join(programs, "ruff"), ["check", "--no-cache", "."], clientFolder);
      await run(join(programs, "ruff"), ["format", "--check", "--no-cache", "."], clientFolder);
      const mypy = await run(join(programs, "mypy"), ["--cache-dir", caches()], clientFolder, { HOME: folder });
      expect(mypy).toContain("no issues found");
      const words = [pyright, "--pythonpath", join(programs, "python")];
      expect(await run(process.execPath, words, clientFolder, { HOME: folder })).toContain("0 errors, 0 warnings");
    },
    maxMs,
  );
});
