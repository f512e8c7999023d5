import type { Logger } from "pino";
import type { Readiness } from "../transport/rpc/protocol-services.ts";

/** Whether the service can do its work, and what keeps it from it. */
export interface ReadinessState {
  /** How all parts are. What was found out within the last second counts; calls at the same time share one look. */
  check(): Promise<Readiness>;
  /** Notes how a part is that says so by itself: "ok", or in a few words what is wrong. */
  report(name: string, state: string): void;
}

interface Options {
  /** Parts that must be asked, by name: they answer, or throw what is wrong. */
  readonly probes: Readonly<Record<string, () => Promise<void>>>;
  /** Parts that may say something although they are ready; undefined: nothing. */
  readonly remarks?: Readonly<Record<string, () => Promise<string | undefined>>>;
  readonly log: Pick<Logger, "info" | "warn">;
  /** Milliseconds that only grow. */
  readonly now?: () => number;
  /** How long an answer counts. */
  readonly maxAgeMs?: number;
  /** How long a part may take to answer. */
  readonly deadlineMs?: number;
}

/** Load balancers ask every few seconds, so an answer of this age is fresh enough. */
const defaultMaxAgeMs = 1_000;
/** A store on the other side of a network answers within tens of milliseconds. */
const defaultDeadlineMs = 2_000;

type Checks = Readonly<Record<string, string>>;

interface Looked {
  readonly checks: Checks;
  readonly remarked: Checks;
}

/** Every change goes to the log once, since only operators are told the reasons. */
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

  /** A part that hangs is not asked again before it has answered. */
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
      // What cannot be said now is said by the probes.
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

/** A probe may also throw before it has begun. */
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
