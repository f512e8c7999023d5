import { execFileSync } from "node:child_process";
import { mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterEach, beforeEach, expect, test } from "vitest";

const here = (path: string): string => JSON.stringify(fileURLToPath(new URL(path, import.meta.url)));
const module = here("onnxruntime.ts");
const makeSession = `
  const { loadOnnxruntime } = await import(${module});
  const ort = await loadOnnxruntime();
  await ort.InferenceSession.create(${here("../../models/builtin/text.onnx")});`;

let home: string;
beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), "drs-onnxruntime-"));
});
afterEach(() => rmSync(home, { recursive: true }));

/** The output of a program whose environment has only `env` and its own home and temporary folder. */
function run(program: string, env: Readonly<Record<string, string>> = {}): string {
  const words = ["--input-type=module-typescript", "--eval", program];
  return execFileSync(process.execPath, words, { env: { HOME: home, TMPDIR: home, ...env }, encoding: "utf8" });
}

/** Runs in a thread that is started with `options`, and returns the message of its error. */
const inThread = (options: string): string => `
  import { Worker } from "node:worker_threads";
  const code = ${JSON.stringify(`(async () => {${makeSession}})().catch((cause) => console.log(cause.message))`)};
  new Worker(code, { eval: true, ...${options} });`;

test.each([{}, { ORT_DISABLE_TELEMETRY: "0" }, { ORT_DISABLE_TELEMETRY: "" }])(
  "a session leaves nothing behind, whatever the environment says: %o",
  (env) => {
    run(makeSession, env);
    expect(readdirSync(home)).toEqual([]);
  },
);

test("a thread may load it after its main thread has turned the telemetry off", () => {
  expect(run(`import { turnTelemetryOff } from ${module}; turnTelemetryOff(); ${inThread("{}")}`)).toBe("");
  expect(readdirSync(home)).toEqual([]);
});

test("a thread whose main thread has not is refused, because it cannot do it", () => {
  expect(run(inThread("{}"))).toContain("start the process with ORT_DISABLE_TELEMETRY=1");
  expect(readdirSync(home)).toEqual([]);
});
