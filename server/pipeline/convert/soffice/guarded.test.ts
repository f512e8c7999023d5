import { spawn } from "node:child_process";
import { once } from "node:events";
import { tmpdir } from "node:os";
import { expect, test, vi } from "vitest";
import { startGuarded } from "./guarded.ts";

const context = { env: { PATH: process.env["PATH"] ?? "" }, cwd: tmpdir() };
const skip = process.platform === "win32";

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}

test.skipIf(skip)("a program's words and end are told, and its group is gone afterwards", async () => {
  const program = await startGuarded(
    "sh",
    ["-c", 'echo "$@"; sleep 600 & echo $!; exit 3', "sh", "a b", "$HOME"],
    context,
  );
  const { code, output } = await program.ended;
  expect(code).toBe(3);
  const [words, sleeper] = output.trim().split("\n");
  expect(words).toBe("a b $HOME");
  await vi.waitUntil(() => !isAlive(Number(sleeper)), { timeout: 10_000 });
});

test.skipIf(skip)("it can be killed with what it started", async () => {
  const program = await startGuarded("sh", ["-c", "sleep 600"], context);
  program.kill();
  expect((await program.ended).signal).toBe("SIGKILL");
  program.kill();
});

test.skipIf(skip)("it dies with the process that started it, killed or not", async () => {
  const module = new URL("./guarded.ts", import.meta.url).href;
  const code = `const { startGuarded } = await import(${JSON.stringify(module)});
    const { pid } = await startGuarded("sleep", ["600"], { env: process.env, cwd: "/" });
    console.log(pid);`;
  const parent = spawn(process.execPath, ["--input-type=module", "-e", code], { stdio: ["ignore", "pipe", "inherit"] });
  const [line] = await once(parent.stdout, "data");
  const pid = Number(String(line));
  expect(isAlive(pid)).toBe(true);
  parent.kill("SIGKILL");
  await vi.waitUntil(() => !isAlive(pid), { timeout: 10_000 });
});

test.skipIf(skip)("a program that is not there is told by its end", async () => {
  const program = await startGuarded("/no/such/program", [], context);
  expect((await program.ended).code).toBe(127);
});
