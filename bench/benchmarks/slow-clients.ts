import { setTimeout as sleep } from "node:timers/promises";
import type { Bench, Benchmark } from "../benchmark.ts";
import { hasProcfs, procfsReason, rssMb } from "../measuring/processes.ts";
import { percentile } from "../measuring/statistics.ts";
import { type Service, withService } from "../service/service.ts";
import { attacks, startAttackers, uploadLarge } from "../slow-clients/attackers.ts";
import { measureBesideHogs } from "../slow-clients/connection-hogs.ts";

const connections = 500;
/** Longer than the time after which slow clients are cut off, so that their reconnections are measured as well. */
const measuredMs = 45_000;
/** A normal client: it asks, reads, thinks and asks again. */
const pauseMs = 10;
const kinds = Object.values(attacks);

export const slowClients: Benchmark = {
  name: "slow-clients",
  title: `a normal client beside ${connections} that send or read a byte a second; another caller beside one that takes all it can get`,
  async run(bench) {
    if (!hasProcfs) return bench.report.skip("slow-clients", procfsReason);
    const options = { folder: bench.folder, flags: ["--no-worker"] };
    await withService(options, (service) => besideSlowOnes(bench, service));
    await withService(options, (service) => measureBesideHogs(bench, service));
  },
};

async function besideSlowOnes({ folder, report }: Bench, service: Service): Promise<void> {
  const largeLink = await uploadLarge(folder, service);
  await timesOf(service, 2_000);
  report.progress("quiet");
  const quiet = await timesOf(service, measuredMs);
  const quietMb = rssMb(service.apiPid);

  const attackers = startAttackers(
    { ...service, largeLink },
    kinds.map((attack) => [attack, connections / kinds.length]),
  );
  await sleep(2_000);
  report.progress(`${connections} slow connections`);
  const busy = await timesOf(service, measuredMs);
  const busyMb = rssMb(service.apiPid);
  const { cut } = attackers;
  attackers.stop();

  const row = (when: string, times: readonly number[], memoryMb: number) => ({
    when,
    requests: times.length,
    "p50 ms": percentile(times, 0.5),
    "p99 ms": percentile(times, 0.99),
    "API MB": memoryMb,
  });
  report.table(`GET /v1/jobs; ${cut} slow connections were cut off and came back meanwhile`, [
    row("alone", quiet, quietMb),
    row(`beside ${connections} slow clients`, busy, busyMb),
  ]);
  report.bar("p99 beside slow clients, against alone", percentile(busy, 0.99) / percentile(quiet, 0.99), 3, "times");
  report.bar("memory per slow connection", ((busyMb - quietMb) * 1024) / connections, 512, "KB");
}

/** Milliseconds of requests one after the other. Throws if one of them is not answered. */
async function timesOf({ url, apiKey }: Service, durationMs: number): Promise<number[]> {
  const times: number[] = [];
  const until = performance.now() + durationMs;
  while (performance.now() < until) {
    const since = performance.now();
    const response = await fetch(`${url}/v1/jobs`, { headers: { "x-api-key": apiKey } });
    await response.arrayBuffer();
    if (!response.ok) throw new Error(`a normal client was answered with ${response.status}`);
    times.push(performance.now() - since);
    await sleep(pauseMs);
  }
  return times;
}
