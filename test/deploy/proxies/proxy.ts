import { type ChildProcess, execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { createServer, connect } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";

/** A proxy with TLS in front of a server, as the sample of its configuration says. */
export interface Proxy extends AsyncDisposable {
  /** `https://localhost:PORT`. */
  readonly url: string;
  /** The certificate that it shows, PEM. */
  readonly certificate: string;
}

export type ProxyName = "nginx" | "caddy";

const deploy = join(import.meta.dirname, "../../../deploy");

/** Starts the proxy on a free port of loopback; of its sample only ports, names and paths are replaced. */
export async function startProxy(name: ProxyName, upstream: string): Promise<Proxy> {
  const folder = await mkdtemp(join(tmpdir(), `drs-${name}-`));
  const files = { certificate: join(folder, "cert.pem"), key: join(folder, "key.pem") };
  const subject = ["-subj", "/CN=localhost", "-addext", "subjectAltName=DNS:localhost"];
  const type = ["-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-days", "1"];
  execFileSync("openssl", ["req", ...type, ...subject, "-keyout", files.key, "-out", files.certificate], {
    stdio: "ignore",
  });
  const port = await freePort();
  const start = name === "nginx" ? startNginx : startCaddy;
  const child = await start({ folder, files, port, upstream: new URL(upstream).host });
  const said = collect(child);
  try {
    await listening(port, child);
  } catch (cause) {
    throw new Error(`${name} does not listen: ${said()}`, { cause });
  }
  return {
    url: `https://localhost:${port}`,
    certificate: await readFile(files.certificate, "utf8"),
    async [Symbol.asyncDispose]() {
      const ended = once(child, "exit");
      if (child.exitCode === null && child.kill("SIGTERM")) await ended;
      await rm(folder, { recursive: true, force: true });
    },
  };
}

interface Place {
  readonly folder: string;
  readonly files: { readonly certificate: string; readonly key: string };
  readonly port: number;
  readonly upstream: string;
}

async function startNginx({ folder, files, port, upstream }: Place): Promise<ChildProcess> {
  const sample = replaceAll(await readFile(join(deploy, "nginx/drs.conf"), "utf8"), [
    ["127.0.0.1:8420", upstream],
    ["listen 443 ssl", `listen 127.0.0.1:${port} ssl`],
    ["listen [::]:443 ssl", `listen [::1]:${port} ssl`],
    ["drs.example.com", "localhost"],
    ["/etc/ssl/drs/fullchain.pem", files.certificate],
    ["/etc/ssl/drs/privkey.pem", files.key],
  ]);
  const temporary = ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"].map(
    (kind) => `${kind}_temp_path ${folder}/${kind};`,
  );
  const config = [
    "daemon off;",
    "worker_processes 1;",
    `pid ${folder}/pid;`,
    "events {}",
    `http { access_log off; ${temporary.join(" ")}`,
    sample,
    "}",
  ];
  await writeFile(join(folder, "nginx.conf"), config.join("\n"));
  // Its own user could not read the folder.
  const user = process.getuid?.() === 0 ? ["-g", "user root;"] : [];
  return spawn("nginx", ["-e", "stderr", "-c", join(folder, "nginx.conf"), ...user], {
    stdio: ["ignore", "ignore", "pipe"],
  });
}

async function startCaddy({ folder, files, port, upstream }: Place): Promise<ChildProcess> {
  const sample = replaceAll(await readFile(join(deploy, "caddy/Caddyfile"), "utf8"), [
    ["127.0.0.1:8420", upstream],
    ["drs.example.com {", `https://localhost:${port} {\n\tbind 127.0.0.1 ::1\n\ttls ${files.certificate} ${files.key}`],
  ]);
  await mkdir(join(folder, "home"));
  await writeFile(join(folder, "Caddyfile"), `{\n\tadmin off\n\tauto_https disable_redirects\n}\n${sample}`);
  return spawn("caddy", ["run", "--config", join(folder, "Caddyfile"), "--adapter", "caddyfile"], {
    stdio: ["ignore", "ignore", "pipe"],
    env: { PATH: process.env["PATH"], HOME: join(folder, "home") },
  });
}

function replaceAll(text: string, pairs: readonly (readonly [string, string])[]): string {
  return pairs.reduce((so, [from, to]) => {
    if (!so.includes(from)) throw new Error(`the sample has no "${from}"`);
    return so.replaceAll(from, to);
  }, text);
}

function collect({ stderr }: ChildProcess): () => string {
  let text = "";
  stderr?.on("data", (piece: Buffer) => (text += piece.toString()));
  return () => text;
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  server.close();
  await once(server, "close");
  if (address === null || typeof address === "string") throw new Error("no port is free");
  return address.port;
}

/** Throws when the process has ended, or after a while. */
async function listening(port: number, child: ChildProcess): Promise<void> {
  for (let attempt = 0; attempt < 200 && child.exitCode === null; attempt++) {
    const isOpen = await new Promise<boolean>((resolve) => {
      const socket = connect(port, "127.0.0.1");
      socket.once("connect", () => resolve(true)).once("error", () => resolve(false));
      socket.once("close", () => socket.destroy());
      socket.once("connect", () => socket.end());
    });
    if (isOpen) return;
    await pause(50);
  }
  throw new Error("not listening");
}
