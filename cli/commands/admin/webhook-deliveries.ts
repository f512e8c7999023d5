import type { Command } from "commander";
import type { Delivery, DeliveryStatus, Drs } from "@drs/client";
import { exitCodes } from "../../exit-codes.ts";
import { formatTime } from "../../output/amounts.ts";
import { aWebhook, idNamed } from "../../names/find-named.ts";
import type { Column } from "../../output/table.ts";
import { type ClientFlags, type Context, openSession, type Session, withClient, withExamples } from "../command.ts";
import { choices } from "../flag-values.ts";
import { type ListFlags, printList, withList } from "../list.ts";
import { setTimeout as sleep } from "node:timers/promises";

const statuses: readonly DeliveryStatus[] = ["pending", "delivered", "failed"];

const columns: readonly Column<Delivery>[] = [
  { title: "MESSAGE", value: ({ messageId }) => messageId },
  { title: "TYPE", value: ({ type }) => type },
  { title: "STATUS", value: ({ status }) => status },
  { title: "TRIES", align: "right", value: ({ tries }) => String(tries) },
  { title: "MADE", value: ({ createdAt }) => formatTime(createdAt) },
  { title: "NEXT TRY", rank: 1, value: ({ nextTryAt }) => formatTime(nextTryAt) },
  { title: "LAST FAILURE", maxColumns: 48, value: ({ lastError }) => lastError ?? "" },
];

/** Defines the commands for messages to webhooks and their delivery. */
export function defineDeliveries(command: Command, context: Context): void {
  const listing = command
    .command("deliveries")
    .description("list the messages to a webhook, newest first")
    .argument("<webhook>", "its address, description or id, or callbacks");
  withExamples(withList(withClient(listing)), [
    ["drs webhooks deliveries wh_01K0 --status failed", "messages that failed, and why"],
    ["drs webhooks deliveries callbacks", "messages requested by uploads with callbackUrl"],
  ])
    .option("--status <list>", "with commas: pending, delivered, failed (default: all)", choices(statuses))
    .action(async (word: string, flags: ClientFlags & ListFlags & { status?: readonly DeliveryStatus[] }) => {
      const { drs, output, io } = await openSession(flags, context);
      const id = await idNamed(aWebhook, drs, word, io.signal);
      const { status } = flags;
      const options = { signal: io.signal };
      const listed = {
        page: (query: object) => drs.webhooks.deliveriesPage(id, { ...query, status }, options),
        entries: (query: object) => drs.webhooks.deliveries(id, { ...query, status }, options),
      };
      await printList(output, flags, listed, columns, "no messages");
    });

  const testing = command
    .command("test")
    .description("send a test message to a webhook, and wait for the result")
    .argument("<webhook>", "its address or description, or webhook id, as in the list");
  withExamples(withClient(testing), [
    ["drs webhooks test wh_01K0", "exits with 0 if the receiver accepts it, otherwise with 1"],
  ]).action(async (word: string, flags: ClientFlags) => {
    const session = await openSession(flags, context);
    const id = await idNamed(aWebhook, session.drs, word, session.io.signal);
    await report(session, context, { id, sent: await session.drs.webhooks.test(id, { signal: session.io.signal }) });
  });

  const again = command
    .command("redeliver")
    .description("send a message again, and wait for the result")
    .argument("<webhook>", "its address, description or id, or callbacks")
    .argument("<message>", "message id, as in the list of deliveries");
  withExamples(withClient(again), [
    ["drs webhooks redeliver wh_01K0 dsj_01K0-0", "with the same id, and all retries"],
  ]).action(async (word: string, messageId: string, flags: ClientFlags) => {
    const session = await openSession(flags, context);
    const id = await idNamed(aWebhook, session.drs, word, session.io.signal);
    const sent = await session.drs.webhooks.redeliver(id, messageId, { signal: session.io.signal });
    await report(session, context, { id, sent });
  });
}

async function report(
  { drs, output, io }: Session,
  context: Context,
  { id, sent }: { readonly id: string; readonly sent: Delivery },
): Promise<void> {
  const delivery = await watchDelivery(drs, id, sent, io.signal);
  output.result(delivery, () => [sentenceOf(delivery)]);
  if (delivery.status !== "delivered") context.finish(exitCodes.failed);
}

function sentenceOf({ messageId, status, lastStatus, lastError, nextTryAt }: Delivery): string {
  if (status === "delivered") return `${messageId} was accepted with ${lastStatus}`;
  const failure = `${messageId} has not been accepted: ${lastError ?? "it has not been sent yet"}`;
  return nextTryAt === null ? failure : `${failure}; it is tried again at ${formatTime(nextTryAt)}`;
}

const everyMs = 250;

/** Maximum wait, milliseconds: a little longer than a receiver may take to answer. */
const maxWaitMs = 40_000;

/** Waits until the message has been tried once more; returns it unchanged if that takes too long. */
async function watchDelivery(drs: Drs, id: string, { messageId }: Delivery, signal: AbortSignal): Promise<Delivery> {
  const startedAt = performance.now();
  for (;;) {
    const delivery = await drs.webhooks.delivery(id, messageId, { signal });
    const isTried = delivery.tries > 0 || delivery.status !== "pending" || delivery.lastError !== null;
    if (isTried || performance.now() - startedAt > maxWaitMs) return delivery;
    await sleep(everyMs, undefined, { signal });
  }
}
