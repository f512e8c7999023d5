import { spawn } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";
import { once } from "node:events";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { listenForNames } from "./name-server.ts";

/** The actions of a command on its sealed machine. */
export interface Seen {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
  /** Names that were looked up. */
  readonly names: readonly string[];
  /** Connections and datagrams to other addresses than loopback that were attempted. */
  readonly attempts: number;
  /** Files and folders outside the folder that the command was given. */
  readonly strays: readonly string[];
}

/** Where programs leave things by themselves, in fresh file systems: see seal.sh. */
const places = ["/tmp", "/var/tmp", "/dev/shm"];

/** Packets that the kernel has refused for lack of a route: every packet to an address other than loopback. */
function unroutable(): number {
  const counters = readFileSync("/proc/net/snmp", "utf8")
    .split("\n")
    .filter((line) => line.startsWith("Ip: "))
    .map((line) => line.split(" "));
  const ipv4 = Number(counters[1]?.[counters[0]?.indexOf("OutNoRoutes") ?? -1]);
  const ipv6 = Number(/^Ip6OutNoRoutes\s+(\d+)$/m.exec(readFileSync("/proc/net/snmp6", "utf8"))?.[1]);
  if (Number.isNaN(ipv4 + ipv6)) throw new Error("the kernel does not count packets without a route");
  return ipv4 + ipv6;
}

function straysIn(folder: string, known: readonly string[]): string[] {
  return readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
    const path = join(folder, entry.name);
    if (known.includes(path)) return [];
    // The folders above a known folder are no stray files, but what is beside it is.
    return known.some((inside) => inside.startsWith(`${path}/`)) ? straysIn(path, known) : [path];
  });
}

/** `node watch.ts FOLDER REPOSITORY COMMAND…`: runs the command and prints what was seen of it, as JSON. */
async function main([folder = "", repository = "", command = "", ...words]: readonly string[]): Promise<void> {
  const server = await listenForNames();
  const before = unroutable();
  const child = spawn(command, words, { cwd: repository, stdio: ["ignore", "pipe", "pipe"] });
  const [stdout, stderr] = await Promise.all([text(child.stdout), text(child.stderr), once(child, "exit")]);
  const seen: Seen = {
    code: child.exitCode,
    stdout,
    stderr,
    names: server.names,
    attempts: unroutable() - before,
    strays: places.flatMap((place) => straysIn(place, [folder, repository])),
  };
  server.close();
  process.stdout.write(JSON.stringify(seen));
}

if (import.meta.main) await main(process.argv.slice(2));
