import { chmod, mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
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

    test("hands over a file for its user alone, and nothing of the address is an argument or left in the folder", async () => {
      const env = await desktop(
        [
          `printf '%s\\n' "$#" "$@" > ${join(folder, "arguments")}`,
          'file="${1#file://}"',
          `cp "$file" ${join(folder, "opened.html")}`,
          `stat -c %a "$file" "$(dirname "$file")" > ${join(folder, "modes")}`,
        ].join("\n"),
      );
      const url = "http://127.0.0.1:1/v1/share/dsx_1?token=secret$(touch%20x)&b='c';`d`#code=drsc_1\">";
      const runtime = join(folder, "runtime");
      expect(
        await openInBrowser(url, { ...env, XDG_RUNTIME_DIR: runtime }, { platform: "linux", keptMs: 200 }),
      ).toBeUndefined();
      const [count, argument = ""] = (await readFile(join(folder, "arguments"), "utf8")).trim().split("\n");
      expect(count).toBe("1");
      expect(argument).toMatch(/^file:\/\/\/.*\/runtime\/drs-open-\w+\/drs\.html$/);
      expect(await readFile(join(folder, "modes"), "utf8")).toBe("600\n700\n");
      const page = await readFile(join(folder, "opened.html"), "utf8");
      const led = /<meta http-equiv="refresh" content="0;url=([^"]*)">/.exec(page)?.[1] ?? "";
      expect(led.replace(/&#(\d+);/g, (_, code) => String.fromCharCode(Number(code)))).toBe(new URL(url).href);
    });

    test("what could not be opened leaves no file", async () => {
      const runtime = join(folder, "left");
      const env = { ...(await desktop("exit 3")), XDG_RUNTIME_DIR: runtime };
      expect(await openInBrowser("http://a.example/#code=1", env, { platform: "linux", keptMs: 200 })).toBe(
        "xdg-open ended with 3",
      );
      expect(await readdir(runtime)).toEqual([]);
    });

    test("the file is removed later, also when the command has ended", async () => {
      const removed = join(folder, "removed");
      const env = { ...(await desktop("exit 0")), XDG_RUNTIME_DIR: removed };
      expect(await openInBrowser("http://a.example/#code=1", env, { platform: "linux", keptMs: 200 })).toBeUndefined();
      await vi.waitFor(async () => expect(await readdir(removed)).toEqual([]), { timeout: 15_000 });
    }, 20_000);

    test.each([
      ["javascript:alert(1)", {}, "it is not a web address"],
      ["file:///etc/passwd", {}, "it is not a web address"],
      ["not an address", {}, "it is not a web address"],
      ["http://a.example/", { SSH_TTY: "/dev/pts/1" }, "this is an ssh session"],
      ["http://a.example/", { DISPLAY: "" }, "this machine has no desktop"],
      ["http://a.example/", { PATH: "/nowhere" }, "xdg-open is not installed"],
    ])("%s with %j is not opened: %s", async (url, env, reason) => {
      const opened = join(folder, "must-not-be");
      const machine = await desktop(`echo > ${opened}`);
      expect(await openInBrowser(url, { ...machine, ...env }, { platform: "linux", keptMs: 200 })).toContain(reason);
      await expect(readFile(opened)).rejects.toThrow("ENOENT");
    });
  },
);
