import { spawnSync } from "node:child_process";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { hasTool, toolReason } from "../service/tools.ts";

const folder = join(import.meta.dirname, "../../deploy/systemd");

describe.skipIf(!hasTool("systemd-analyze"))(`systemd units${toolReason("systemd-analyze")}`, () => {
  test.each(["drs.service", "drs-worker@.service"])("%s has nothing that systemd does not know", async (name) => {
    const place = await mkdtemp(join(tmpdir(), "drs-units-"));
    const unit = join(place, name);
    // A program that is there on every machine, in place of what is installed with drs.
    const text = (await readFile(join(folder, name), "utf8")).replace("/opt/drs/bin/drs", "/bin/true");
    expect(text).toContain("ExecStart=/bin/true");
    await writeFile(unit, text);
    const { status, stdout, stderr } = spawnSync("systemd-analyze", ["verify", unit], { encoding: "utf8" });
    await rm(place, { recursive: true });
    expect({ status, said: (stdout + stderr).split("\n").filter((line) => line.includes("drs")) }).toEqual({
      status: 0,
      said: [],
    });
  });
});
