import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { text } from "node:stream/consumers";
import { fileURLToPath } from "node:url";

/** One upload that a client program is asked for. */
export interface Asked {
  readonly url: string;
  readonly apiKey: string;
  readonly sending: Sending;
  /** The size of the file, bytes. */
  readonly size: number;
  /** Fields of the form, which come before the file. */
  readonly fields: Readonly<Record<string, string>>;
}

/**
 * How the body goes out: with its length in the head, in chunks, after the server has said 100, or over HTTP/2 without
 * TLS.
 */
export type Sending = "length" | "chunked" | "expect" | "h2c";

/**
 * A program that uploads with a common HTTP client. It reads one upload a line (URL, key, way of sending, size and
 * fields, separated by tabs), and writes a line for each: the status and the body of the answer, or "broken" and why.
 */
export interface ClientProgram {
  readonly name: string;
  readonly command: readonly [string, ...string[]];
  readonly cwd?: string;
  readonly sendings: readonly Sending[];
  /** Runs where all that is needed is installed. */
  readonly probe: readonly [string, ...string[]];
}

const at = (path: string): string => fileURLToPath(new URL(`clients/${path}`, import.meta.url));

export const clientPrograms: readonly ClientProgram[] = [
  {
    name: "Python's urllib",
    command: ["python3", at("urllib_client.py")],
    sendings: ["length", "chunked"],
    probe: ["python3", "--version"],
  },
  {
    name: "Python's requests",
    command: ["python3", at("requests_client.py")],
    sendings: ["length", "chunked"],
    probe: ["python3", "-c", "import requests"],
  },
  {
    name: "Java's HttpClient",
    command: ["java", at("Upload.java")],
    sendings: ["length", "chunked", "expect"],
    // A runtime alone cannot compile the source.
    probe: ["javac", "--version"],
  },
  {
    name: "Go's net/http",
    command: ["go", "run", "."],
    cwd: at("go"),
    sendings: ["length", "chunked", "expect", "h2c"],
    probe: ["go", "version"],
  },
  {
    name: "curl",
    command: ["bash", at("curl_client.sh")],
    sendings: ["length", "chunked", "expect", "h2c"],
    probe: ["curl", "--version"],
  },
];

export function isInstalled({ probe: [command, ...words] }: ClientProgram): boolean {
  return spawnSync(command, words, { stdio: "ignore" }).status === 0;
}

const maxRunMs = 100_000;

/** The output of the program for each upload. */
export async function runClient({ command, cwd }: ClientProgram, asked: readonly Asked[]): Promise<string[]> {
  const [program, ...words] = command;
  const child = spawn(program, words, {
    // A client that never ends must not outlive its test.
    timeout: maxRunMs,
    killSignal: "SIGKILL",
    cwd,
    stdio: ["pipe", "pipe", "inherit"],
    env: { ...process.env, GOTOOLCHAIN: "local" },
  });
  for (const { url, apiKey, sending, size, fields } of asked) {
    const form = Object.entries(fields).map(([name, value]) => `${name}=${value}`);
    child.stdin.write(`${[url, apiKey, sending, size, form.join("&")].join("\t")}\n`);
  }
  child.stdin.end();
  const [printed] = await Promise.all([text(child.stdout), once(child, "close")]);
  return printed.trimEnd().split("\n");
}
