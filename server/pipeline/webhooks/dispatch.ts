import type { Logger } from "pino";
import type { Clock } from "../../domain/clock.ts";
import type { Meter } from "../../domain/ports/meter.ts";
import type { Posts } from "../../domain/ports/remote.ts";
import type { ClaimedDelivery, Lane, WebhookStore } from "../../domain/ports/webhooks.ts";
import { deliver } from "../../domain/webhooks/deliver.ts";
import type { Sealing } from "../../domain/webhooks/sealing.ts";
import { logFault } from "../../logging/log-fault.ts";

interface Options {
  readonly webhooks: WebhookStore;
  readonly posts: Posts;
  readonly sealing: Sealing;
  readonly clock: Clock;
  readonly meter: Meter;
  readonly log: Logger;
  readonly timeoutMs: number;
  /** Time before a dataset's expiry at which a notice is sent. */
  readonly expiryNoticeMs: number;
  /** Whether this worker is the one that looks for expiring datasets and prunes old deliveries. */
  readonly isDue: () => boolean;
}

/** Interval of checks, the same at which workers look for jobs. */
const everyMs = 500;

/**
 * Maximum concurrent deliveries to one endpoint, of one workspace, of one organisation, and of this process, so that a slow
 * receiver does not delay others.
 */
const maxOfLane = 4;
const maxOfWorkspace = 16;
const maxOfOrganisation = 32;
const maxAtOnce = 64;

/** Time by which a claim outlasts a try. If the process is killed, the message is sent again when the claim ends. */
const claimMarginMs = 10_000;

const maintenanceMs = 30_000;
const keptMs = 7 * 86_400_000;
const rowsAtOnce = 500;

/** Sends the deliveries in the outbox; any number of processes may do so at the same time. */
export function startWebhooks(options: Options): { stop(): Promise<void> } {
  const { webhooks, clock, log, timeoutMs, expiryNoticeMs, isDue } = options;
  const stopping = new AbortController();
  const atWork = new Map<Promise<void>, Lane>();
  let looking = Promise.resolve();
  let isLooking = false;
  let maintainedAt = Number.NEGATIVE_INFINITY;

  const roomFor = (lane: Lane): number => {
    const lanes = [...atWork.values()];
    const ofLane = lanes.filter(({ name }) => name === lane.name).length;
    const ofWorkspace = lanes.filter(({ workspaceId }) => workspaceId === lane.workspaceId).length;
    const ofOrganisation = lanes.filter(({ organisationId }) => organisationId === lane.organisationId).length;
    return Math.min(
      maxOfLane - ofLane,
      maxOfWorkspace - ofWorkspace,
      maxOfOrganisation - ofOrganisation,
      maxAtOnce - lanes.length,
    );
  };

  async function send(claimed: ClaimedDelivery): Promise<void> {
    try {
      const outcome = await deliver(options, claimed, stopping.signal);
      await webhooks.settle(claimed, outcome, clock());
    } catch (err) {
      if (stopping.signal.aborted) return webhooks.release(claimed, clock());
      throw err;
    }
  }

  async function look(): Promise<void> {
    if (isDue() && performance.now() - maintainedAt > maintenanceMs) {
      maintainedAt = performance.now();
      await maintain();
    }
    if (atWork.size >= maxAtOnce) return;
    for (const lane of await webhooks.dueLanes()) {
      const room = roomFor(lane);
      if (room <= 0 || stopping.signal.aborted) continue;
      for (const claimed of await webhooks.claim(lane, room, timeoutMs + claimMarginMs)) {
        const sending = send(claimed)
          .catch((err: unknown) => logFault(log, "warn", { err }, "a webhook was not sent; trying again"))
          .finally(() => atWork.delete(sending));
        atWork.set(sending, lane);
      }
    }
  }

  async function maintain(): Promise<void> {
    const now = clock();
    while ((await webhooks.enterExpiring({ now, until: now + expiryNoticeMs }, rowsAtOnce)) === rowsAtOnce);
    while ((await webhooks.prune(now - keptMs, rowsAtOnce)) === rowsAtOnce);
  }

  const timer = setInterval(() => {
    if (isLooking) return;
    isLooking = true;
    looking = look()
      .catch((err: unknown) => logFault(log, "warn", { err }, "webhooks not looked for; trying again"))
      .finally(() => {
        isLooking = false;
      });
  }, everyMs);
  return {
    async stop() {
      clearInterval(timer);
      stopping.abort(new Error("the worker is stopping"));
      await looking;
      await Promise.all(atWork.keys());
    },
  };
}
