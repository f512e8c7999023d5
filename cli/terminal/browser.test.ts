import { chmod, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { openInBrowser } from "./browser.ts";

describe.skipIf(process.platform === "win32")(
  "opening a link (skipped on Windows: its opener is a shell script)",
  () => {
    let folder: string;
    beforeAll(async () => {
      folder = await mkdtemp(join(tmpdir(), "drs-browser-"));
    });
    afterAll(() => rm(folder, { recursive: true }));

    async function desktop(script: string): Promise<Record<string, string>> {
      const opener = join(folder, "xdg-open");
      await writeFile(opener, `#!/bin/sh\n${script}\n`);
      await chmod(opener, 0o755);
      return { PATH: `${folder}:/usr/bin:/bin`, DISPLAY: ":0" };
    }

    test("hands the address over as one word, whatever is in it", async () => {
      const env = await desktop(`printf '%s\\n' "$#" "$1" > ${join(folder, "opened")}`);
      const url = "http://127.0.0.1:1/v1/share/dsx_1?token=a$(touch%20x)&b='c';`d`";
      expect(await openInBrowser(url, env, "linux")).toBeUndefined();
      expect(await readFile(join(folder, "opened"), "utf8")).toBe(`1\n${new URL(url).href}\n`);
    });

    test.each([
      ["javascript:alert(1)", {}, "it is no address of the web"],
      ["file:///etc/passwd", {}, "it is no address of the web"],
      ["not an address", {}, "it is no address of the web"],
      ["http://a.example/", { SSH_TTY: "/dev/pts/1" }, "this is an ssh session"],
      ["http://a.example/", { DISPLAY: "" }, "this machine has no desktop"],
      ["http://a.example/", { PATH: "/nowhere" }, "xdg-open is not installed"],
    ])("%s with %j is not opened: %s", async (url, env, reason) => {
      const opened = join(folder, "must-not-be");
      const machine = await desktop(`echo > ${opened}`);
      expect(await openInBrowser(url, { ...machine, ...env }, "linux")).toContain(reason);
      await expect(readFile(opened)).rejects.toThrow("ENOENT");
    });

    test("says when the opener fails", async () => {
      const env = await desktop("exit 3");
      expect(await openInBrowser("http://a.example/", env, "linux")).toBe("xdg-open ended with 3");
    });
  },
);
