import { type ChildProcess, execFile, spawn } from "node:child_process";
import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { existsSync, readdirSync } from "node:fs";
import { chown, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { promisify } from "node:util";
import pg from "pg";
import { isQuick } from "../service/tier.ts";
import { freePort } from "./free-port.ts";

const run = promisify(execFile);

/** The server's programs, as Debian installs them; the newest first. */
const debian = "/usr/lib/postgresql";
const startMs = 60_000;
/** The server refuses to run as root; this user is on every system. */
const nobody = 65_534;

/** The folder of the server's programs: `DRS_TEST_POSTGRES`, else Debian's; undefined if there is none. */
export function postgresPrograms(): string | undefined {
  const named = process.env["DRS_TEST_POSTGRES"];
  if (named !== undefined && named !== "") return named;
  if (!existsSync(debian)) return undefined;
  const versions = readdirSync(debian).toSorted((one, other) => Number(other) - Number(one));
  return versions.map((version) => join(debian, version, "bin")).find((folder) => existsSync(join(folder, "initdb")));
}

/** Why suites that need the server are skipped, for their titles; empty if they run. */
export const withoutPostgres = reasonWithout();

function reasonWithout(): string {
  if (isQuick) return " (skipped: npm run test:full runs it)";
  return postgresPrograms() === undefined ? " (skipped: no PostgreSQL server is installed; set DRS_TEST_POSTGRES)" : "";
}

/** Everybody else comes in without a password. No such role is there until a test makes it. */
export const roleWithPassword = "drs_with_password";

/** A PostgreSQL server of its own, on a free port of the loopback device. */
export interface PostgresServer {
  /** Makes an empty database, or a copy of the one of that name, to which nobody may be connected; its address. */
  createDatabase(template?: string): Promise<string>;
  /** The address of a database in which others can be made. */
  readonly url: string;
  /** Ends the server as an operator would restart it: connections are cut. Rows stay. */
  stop(): Promise<void>;
  /** After `stop`, on the same port. */
  start(): Promise<void>;
  /** Ends the server and removes its files. */
  close(): Promise<void>;
}

/** Starts a server with an empty cluster. `options`: settings such as `fsync=on`. */
export async function startPostgres(options: readonly string[] = []): Promise<PostgresServer> {
  const programs = postgresPrograms();
  if (programs === undefined) throw new Error("no PostgreSQL server is installed");
  const folder = await mkdtemp(join(tmpdir(), "drs-postgres-"));
  const isRoot = process.getuid?.() === 0;
  if (isRoot) await chown(folder, nobody, nobody);
  const as = isRoot ? { uid: nobody, gid: nobody } : {};
  const data = join(folder, "data");
  await run(join(programs, "initdb"), ["-D", data, "-U", "drs", "-A", "trust", "-E", "UTF8", "--no-sync"], {
    ...as,
    cwd: folder,
    env: { PATH: process.env["PATH"], LC_ALL: "C.UTF-8" },
  });
  const rules = join(data, "pg_hba.conf");
  await writeFile(rules, `host all ${roleWithPassword} all scram-sha-256\n${await readFile(rules, "utf8")}`);
  const port = await freePort();
  const settings = [
    "listen_addresses=127.0.0.1",
    `port=${port}`,
    `unix_socket_directories=${folder}`,
    "fsync=off",
    "max_connections=200",
    "shared_buffers=64MB",
    ...options,
  ];
  const addressOf = (database: string) => `postgres://drs@127.0.0.1:${port}/${database}`;
  let server: ChildProcess | undefined;

  const start = async (): Promise<void> => {
    server = spawn(join(programs, "postgres"), ["-D", data, ...settings.flatMap((setting) => ["-c", setting])], {
      ...as,
      cwd: folder,
      stdio: "ignore",
    });
    const until = performance.now() + startMs;
    while (!(await answers(addressOf("postgres")))) {
      if (server.exitCode !== null) throw new Error(`PostgreSQL ended with ${server.exitCode} before it answered`);
      if (performance.now() > until) throw new Error("PostgreSQL does not answer");
      await sleep(50);
    }
  };
  const stop = async (): Promise<void> => {
    if (server === undefined || server.exitCode !== null || server.signalCode !== null) return;
    const exited = once(server, "exit");
    // Fast shutdown: sessions are ended, nothing is waited for.
    server.kill("SIGINT");
    await exited;
  };

  await start();
  const url = addressOf("postgres");
  return {
    url,
    createDatabase: (template) => createDatabase(url, `drs_${randomBytes(6).toString("hex")}`, template),
    start,
    stop,
    async close() {
      await stop();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

/** Makes a copy of `template` beside the database of the address, if there is none of that name; its address. */
export async function createDatabase(url: string, name: string, template = "template0"): Promise<string> {
  await withClient(url, async (client) => {
    const { rowCount } = await client.query("select 1 from pg_database where datname = $1", [name]);
    if (rowCount === 0) await client.query(`create database ${name} template ${template}`);
  });
  const address = new URL(url);
  address.pathname = `/${name}`;
  return address.href;
}

async function answers(address: string): Promise<boolean> {
  try {
    await withClient(address, (client) => client.query("select 1"));
    return true;
  } catch {
    return false;
  }
}

async function withClient(address: string, use: (client: pg.Client) => Promise<unknown>): Promise<void> {
  const client = new pg.Client({ connectionString: address });
  client.on("error", () => undefined);
  await client.connect();
  try {
    await use(client);
  } finally {
    await client.end();
  }
}
