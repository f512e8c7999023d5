import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { makeDocx } from "../fixtures/ooxml.ts";
import { makePdf } from "../fixtures/pdf.ts";
import { createSealedMachine, type SealedMachine, whyNotSealed } from "./sealed/run-sealed.ts";
import type { Seen } from "./sealed/watch.ts";

const reason = whyNotSealed();

/** The files outside of its data folder that drs writes according to docs/explanation/security.md. */
const documented = [
  /^home\/\.local\/share\/drs$/,
  /^home\/\.local\/state\/drs$/,
  /^home\/\.config\/drs$/,
  /^home\/\.cache\/drs$/,
  // Pictures that `drs quickstart` found, and says where.
  /^tmp\/drs-pictures-\w+$/,
];
/** Files that npm always writes. */
const npm = [/^home\/\.npm$/, /^tmp\/node-compile-cache$/];

function expectNothingLeft({ names, attempts, strays }: Seen): void {
  expect({ names, attempts, strays }).toEqual({ names: [], attempts: 0, strays: [] });
}

describe.skipIf(reason !== "")(`on a machine of its own${reason}`, () => {
  let machine: SealedMachine;
  beforeEach(() => {
    machine = createSealedMachine();
  });
  afterEach(() => machine.remove());

  test("what leaves is seen", async ({ signal }) => {
    const leave = `
      await require("node:dns").promises.lookup("asked.example").catch(() => undefined);
      for (const host of ["192.0.2.7", "2001:db8::7"]) {
        await new Promise((done) => require("node:net").connect(443, host).on("error", done));
      }
      for (const name of ["/tmp/stray", "/var/tmp/stray", process.env.HOME + "/stray", process.env.TMPDIR + "/stray"]) {
        require("node:fs").writeFileSync(name, "");
      }
      require("node:fs").writeFileSync(process.cwd() + "/stray", "");`;
    const seen = await machine.run(["node", "--eval", `(async () => {${leave}})()`], signal);
    expect(seen.names).toContain("asked.example");
    expect(seen.attempts).toBe(2);
    expect(seen.strays).toEqual(["/tmp/stray", "/var/tmp/stray"]);
    expect(seen.stderr).toContain("EROFS");
    expect(machine.unexpected(documented)).toEqual(["home/stray", "tmp/stray"]);
  });

  test("nothing leaves it in the quickstart", { timeout: 300_000 }, async ({ signal }) => {
    const seen = await machine.run(["npm", "run", "quickstart"], signal);
    expect(seen.stderr + seen.stdout).toContain("What to try next");
    expect(seen.code).toBe(0);
    expectNothingLeft(seen);
    expect(machine.unexpected([...documented, ...npm])).toEqual([]);
  });

  test(
    "nothing leaves it where documents are stored, vectorized and searched",
    { timeout: 300_000 },
    async ({ signal }) => {
      const documents = join(machine.folder, "documents");
      mkdirSync(documents);
      writeFileSync(
        join(documents, "harbour.pdf"),
        makePdf({ pages: [{ text: "The harbour lights are lit at dusk." }] }),
      );
      writeFileSync(join(documents, "garden.docx"), makeDocx({ paragraphs: ["Roses are cut back in early spring."] }));
      const seen = await machine.run(["node", "test/hostile/sealed/use-service.ts", machine.folder], signal);
      expect(seen).toMatchObject({ code: 0, stdout: "done\n" });
      expectNothingLeft(seen);
      expect(machine.unexpected(documented)).toEqual([]);
    },
  );
});
