import { type ChildProcessWithoutNullStreams, spawn } from "node:child_process";
import { mkdtemp, mkdir, readFile, rm, symlink, writeFile } from "node:fs/promises";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { afterEach, expect, test } from "vitest";
import { compileCache } from "../service/compile-cache.ts";

const root = join(import.meta.dirname, "../..");

/** A line that a reader types, and what the tutorial says that it prints. */
interface Step {
  readonly command: string;
  readonly printed: readonly string[];
}

/** The steps of the blocks that are marked as console. */
function stepsOf(markdown: string): Step[] {
  const blocks = Array.from(markdown.matchAll(/^```console\n([^]*?)^```$/gm), ([, block = ""]) => block);
  return blocks.flatMap((block) =>
    block
      .split(/^\$ /m)
      .filter((step) => step !== "")
      .map((step) => {
        const [command = "", ...printed] = step.trimEnd().split("\n");
        return { command, printed };
      }),
  );
}

/** `…` stands for anything. */
function patternOf(line: string): RegExp {
  const parts = line.split("…").map((part) => part.replaceAll(/[.*+?^${}()|[\]\\]/g, String.raw`\$&`));
  return new RegExp(`^${parts.join(".*")}$`);
}

/** A shell that a reader sits at, in a home folder of its own. */
interface Shell {
  /** The output of the line, and its exit code. */
  type(command: string): Promise<{ readonly lines: readonly string[]; readonly code: number; readonly said: string }>;
  close(): Promise<void>;
}

async function openShell(): Promise<Shell> {
  const home = await mkdtemp(join(tmpdir(), "drs-tutorial-"));
  const folder = join(home, "work");
  const programs = join(home, "bin");
  await mkdir(folder);
  await mkdir(programs);
  await symlink(root, join(home, "drs"));
  const drs = `#!/bin/sh\nexec "${process.execPath}" "${join(root, "cli/bin/drs.js")}" "$@"\n`;
  await writeFile(join(programs, "drs"), drs, { mode: 0o755 });
  const path = [programs, join(process.execPath, ".."), process.env["PATH"]].join(delimiter);
  const env = { ...compileCache, PATH: path, HOME: home, DRS_PORT: String(await freePort()), TERM: "dumb" };
  const bash = spawn("bash", ["--noprofile", "--norc"], { cwd: folder, env, detached: true });
  // Jobs have groups and numbers, as at a terminal.
  bash.stdin.write("set -m\n");
  let said = "";
  bash.stderr.on("data", (piece: Buffer) => (said += piece.toString()));
  return {
    async type(command) {
      said = "";
      // The tutorial has the port that servers have by default. What runs must not read what is typed next.
      const typed = command.replaceAll("8420", env.DRS_PORT);
      bash.stdin.write(`{ ${typed}\n} < /dev/null\nprintf '\\n-- %s --\\n' "$?"\n`);
      const { text, code } = await answerOf(bash);
      return { lines: text.replaceAll(env.DRS_PORT, "8420").split("\n"), code, said };
    },
    async close() {
      bash.stdin.end("kill $(jobs -p) 2> /dev/null; wait\n");
      await new Promise((resolve) => bash.once("close", resolve));
      await rm(home, { recursive: true, force: true });
    },
  };
}

/** Reads until the shell says how the line ended. */
function answerOf(bash: ChildProcessWithoutNullStreams): Promise<{ readonly text: string; readonly code: number }> {
  return new Promise((resolve) => {
    let text = "";
    const read = (piece: Buffer): void => {
      text += piece.toString();
      const end = /\n-- (\d+) --\n/.exec(text);
      if (end === null) return;
      bash.stdout.off("data", read);
      resolve({ text: text.slice(0, end.index), code: Number(end[1]) });
    };
    bash.stdout.on("data", read);
  });
}

async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const address = server.address();
  await new Promise((resolve) => server.close(resolve));
  if (address === null || typeof address === "string") throw new Error("there is no free port");
  return address.port;
}

let shell: Shell | undefined;
afterEach(async () => {
  await shell?.close();
  shell = undefined;
});

test.each(["first-search", "agent-that-cites", "team-server"])(
  "every line of the tutorial %s does what it says",
  { timeout: 600_000 },
  async (name) => {
    shell = await openShell();
    const steps = stepsOf(await readFile(join(root, `docs/tutorials/${name}.md`), "utf8"));
    expect(steps.length).toBeGreaterThan(3);
    for (const { command, printed } of steps) {
      const { lines, code, said } = await shell.type(command);
      expect({ command, code, said: code === 0 ? "" : said }).toEqual({ command, code: 0, said: "" });
      // In their order; there may be more between them.
      let rest = [...lines];
      for (const line of printed) {
        const place = rest.findIndex((one) => patternOf(line).test(one));
        expect(place, `${command} prints ${line}, not only:\n${lines.join("\n")}`).toBeGreaterThanOrEqual(0);
        rest = rest.slice(place + 1);
      }
    }
  },
);
