import type { Logger } from "pino";
import type { Readiness } from "../transport/rpc/protocol-services.ts";
import type { PackFolders } from "../embedding/registry.ts";
import type { Supervisor } from "../pipeline/process/supervisor.ts";
import { storageFault } from "../storage/disk.ts";
import type { Stores } from "../stores.ts";

/** Whether the service can do its work, and otherwise the reasons. */
export interface ReadinessState {
  /** Returns the state of all parts. Results of the last second are reused, and concurrent calls share one check. */
  check(): Promise<Readiness>;
  /** Records the state that a part reports by itself: "ok", or a short reason. */
  report(name: string, state: string): void;
}

interface Options {
  /** Probes of parts by name: they resolve, or throw the reason. */
  readonly probes: Readonly<Record<string, () => Promise<void>>>;
  /** Remarks of parts that are ready; undefined for none. */
  readonly remarks?: Readonly<Record<string, () => Promise<string | undefined>>>;
  readonly log: Pick<Logger, "info" | "warn">;
  /** A monotonic clock in milliseconds. */
  readonly now?: () => number;
  /** The time for which a result is reused. */
  readonly maxAgeMs?: number;
  /** The time limit of a probe. */
  readonly deadlineMs?: number;
}

/** Load balancers ask every few seconds, so a result of this age is fresh enough. */
const defaultMaxAgeMs = 1_000;
/** A store on the other side of a network answers within tens of milliseconds. */
const defaultDeadlineMs = 2_000;

type Checks = Readonly<Record<string, string>>;

interface Looked {
  readonly checks: Checks;
  readonly remarked: Checks;
}

/** Logs every change once, because only operators see the reasons. */
export function createReadiness({
  probes,
  remarks = {},
  log,
  now = () => performance.now(),
  maxAgeMs = defaultMaxAgeMs,
  deadlineMs = defaultDeadlineMs,
}: Options): ReadinessState {
  const reported = new Map<string, string>();
  const logged = new Map<string, string>();
  const asked = new Map<string, Promise<string>>();
  let found: (Looked & { readonly at: number }) | undefined;
  let looking: Promise<Looked> | undefined;

  function note(name: string, state: string): void {
    if ((logged.get(name) ?? "ok") === state) return;
    logged.set(name, state);
    if (state === "ok") log.info({ check: name }, "ready again");
    else log.warn({ check: name, reason: state }, "not ready");
  }

  /** Probes that have not answered yet; a part that hangs is not asked again meanwhile. */
  function ask(name: string, probe: () => Promise<void>): Promise<string> {
    const running = asked.get(name) ?? answerOf(probe).finally(() => asked.delete(name));
    asked.set(name, running);
    return within(running, deadlineMs);
  }

  async function look(): Promise<Looked> {
    const at = now();
    const states = await Promise.all(
      Object.entries(probes).map(async ([name, probe]) => [name, await ask(name, probe)] as const),
    );
    for (const [name, state] of states) note(name, state);
    const said = await Promise.all(
      // A remark that fails is left out: the probe of its part reports the failure.
      Object.entries(remarks).map(async ([name, remark]) => [name, await remark().catch(() => undefined)] as const),
    );
    const remarked = Object.fromEntries(said.flatMap(([name, text]) => (text === undefined ? [] : [[name, text]])));
    found = { at, checks: Object.fromEntries(states), remarked };
    return found;
  }

  async function latest(): Promise<Looked> {
    if (found !== undefined && now() - found.at < maxAgeMs) return found;
    looking ??= look().finally(() => (looking = undefined));
    return looking;
  }

  return {
    async check() {
      const { checks, remarked } = await latest();
      const states = { ...checks, ...Object.fromEntries(reported) };
      return { ready: Object.values(states).every((state) => state === "ok"), checks: { ...states, ...remarked } };
    },
    report(name, state) {
      reported.set(name, state);
      note(name, state);
    },
  };
}

/** Runs a probe, which may also throw synchronously. */
async function answerOf(probe: () => Promise<void>): Promise<string> {
  try {
    await probe();
    return "ok";
  } catch (cause) {
    return cause instanceof Error ? cause.message : String(cause);
  }
}

async function within(answer: Promise<string>, deadlineMs: number): Promise<string> {
  const late = Promise.withResolvers<string>();
  const timer = setTimeout(() => late.resolve(`does not answer within ${deadlineMs / 1000} seconds`), deadlineMs);
  try {
    return await Promise.race([answer, late.promise]);
  } finally {
    clearTimeout(timer);
  }
}

interface ApiParts {
  readonly stores: Stores;
  readonly supervisor: Pick<Supervisor, "state">;
  readonly packFolders: PackFolders;
  readonly dataDir: string;
  readonly log: Logger;
}

/** The readiness checks of an API process, and remarks that it makes while it is ready. */
export function createApiReadiness({ stores, supervisor, packFolders, dataDir, log }: ApiParts): ReadinessState {
  const { metadata } = stores;
  return createReadiness({
    probes: {
      ...probesOf(stores, supervisor),
      async disk() {
        const fault = await storageFault(dataDir);
        if (fault !== undefined) throw new Error(fault);
      },
    },
    remarks: {
      async index() {
        const datasets = await metadata.indices.countRebuilds();
        return datasets === 0 ? undefined : `datasets that are being embedded again: ${datasets}`;
      },
      async model() {
        const inUse = (await metadata.packs.list()).find((pack) => pack.isInUse);
        if (inUse === undefined || (await packFolders.find(inUse.id)) !== undefined) return undefined;
        return `the model pack in use, ${inUse.id}, is not on this machine: searches here go by words alone`;
      },
    },
    log,
  });
}

/** The readiness probes of every process with a worker: its stores answer, and so does its worker. */
export function probesOf({ metadata, blobs, vectors }: Stores, supervisor: Pick<Supervisor, "state">) {
  return {
    metadata: () => metadata.ping(),
    blobs: () => blobs.ping(),
    vectors: () => vectors.ping(),
    async worker(): Promise<void> {
      const state = supervisor.state();
      if (!state.ready) throw new Error(state.reason);
    },
  };
}
