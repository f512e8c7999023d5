import type { Command } from "commander";
import type { Webhook, WebhookEvent } from "@drs/client";
import { formatTime } from "../../output/amounts.ts";
import { aWebhook, idNamed, toldWithId } from "../../names/find-named.ts";
import { printPage } from "../../output/output.ts";
import type { Column } from "../../output/table.ts";
import { type AgreementFlags, agrees, withAgreement } from "../agreement.ts";
import { type ClientFlags, type Context, openSession, withClient, withExamples } from "../command.ts";
import { choices, wholeNumber } from "../flag-values.ts";
import { defineDeliveries } from "./webhook-deliveries.ts";

const events: readonly WebhookEvent[] = ["job.finished", "job.failed", "dataset.deleted", "dataset.expiring"];

const columns: readonly Column<Webhook>[] = [
  { title: "WEBHOOK", value: ({ id }) => id },
  { title: "ADDRESS", maxColumns: 48, value: ({ url }) => url },
  { title: "EVENTS", value: (webhook) => webhook.events.join(",") },
  { title: "DESCRIPTION", rank: 1, maxColumns: 32, value: ({ description }) => description },
  { title: "STATE", value: stateOf },
];

interface EndpointFlags extends ClientFlags {
  readonly events?: readonly WebhookEvent[];
  readonly description?: string;
  readonly url?: string;
}

const eventsHelp = `with commas: ${events.join(", ")}`;

export function defineWebhooks(command: Command, context: Context): void {
  defineAdd(command, context);
  withExamples(withClient(command.command("list").description("list the webhooks of the workspace")), [
    ["drs webhooks list", "shows which of them fail or are disabled"],
  ]).action(async (flags: ClientFlags) => {
    const { drs, output, io } = await openSession(flags, context);
    const data = await drs.webhooks.list({ signal: io.signal });
    printPage(output, { total: data.length, offset: 0, limit: data.length, data }, columns, "no webhooks");
  });
  defineUpdate(command, context);
  for (const [name, enabled, description, meaning] of [
    ["disable", false, "send nothing to a webhook until it is enabled", "pending messages fail"],
    ["enable", true, "send messages to a disabled webhook again", "for events from now on"],
  ] as const) {
    const defined = named(command.command(name).description(description));
    withExamples(withClient(defined), [[`drs webhooks ${name} wh_01K0`, meaning]]).action(
      async (word: string, flags: ClientFlags) => {
        const { drs, output, io } = await openSession(flags, context);
        const id = await idNamed(aWebhook, drs, word, io.signal);
        const webhook = await drs.webhooks.update(id, { enabled }, { signal: io.signal });
        output.result(webhook, () => [`${webhook.id} is ${enabled ? "enabled" : "disabled"}`]);
      },
    );
  }
  defineRemove(command, context);
  defineSecret(command, context);
  defineDeliveries(command, context);
}

function defineAdd(command: Command, context: Context): void {
  withExamples(
    withClient(
      command
        .command("add")
        .description("notify an address of events in the workspace; prints the secret that signs the messages")
        .argument("<url>", "http or https, on a public address"),
    ),
    [
      ["drs webhooks add https://example.com/hooks/drs", "all events"],
      ["drs webhooks add https://example.com/hooks/drs --events job.finished,job.failed", "finished jobs only"],
    ],
  )
    .option("--events <list>", `${eventsHelp} (default: all)`, choices(events))
    .option("--description <text>", "what it is for")
    .action(async (url: string, flags: EndpointFlags) => {
      const { drs, output, io } = await openSession(flags, context);
      const { events: wanted, description } = flags;
      const webhook = await drs.webhooks.create({ url, events: wanted, description }, { signal: io.signal });
      output.result(webhook, () => [webhook.secret]);
      if (!output.json) output.note(`webhook ${webhook.id} is notified of ${webhook.events.join(", ")}`);
    });
}

function defineUpdate(command: Command, context: Context): void {
  withExamples(withClient(named(command.command("update").description("change a webhook"))), [
    ["drs webhooks update wh_01K0 --events job.failed", "only these from now on"],
  ])
    .option("--url <url>", "new address")
    .option("--events <list>", eventsHelp, choices(events))
    .option("--description <text>", "what it is for")
    .action(async (word: string, { url, events: wanted, description, ...flags }: EndpointFlags) => {
      const { drs, output, io } = await openSession(flags, context);
      const change = { url, events: wanted, description };
      const id = await idNamed(aWebhook, drs, word, io.signal);
      const webhook = await drs.webhooks.update(id, change, { signal: io.signal });
      output.result(webhook, () => [`${webhook.id} is notified of ${webhook.events.join(", ")} at ${webhook.url}`]);
    });
}

function defineRemove(command: Command, context: Context): void {
  withExamples(withAgreement(withClient(named(command.command("remove").description("delete a webhook")))), [
    ["drs webhooks remove https://example.com/hooks/drs", "nothing more is sent to it"],
  ]).action(async (word: string, flags: ClientFlags & AgreementFlags) => {
    const { drs, output, io } = await openSession(flags, context);
    const id = await idNamed(aWebhook, drs, word, io.signal);
    if (!(await agrees(`delete the webhook ${toldWithId(word, id)} and its secret?`, flags, context))) return;
    await drs.webhooks.delete(id, { signal: io.signal });
    output.result({ id, deleted: true }, () => [`${id} is deleted`]);
  });
}

function defineSecret(command: Command, context: Context): void {
  withExamples(
    withClient(
      named(
        command.command("secret").description("print the secret that signs the messages"),
        `${webhookHelp}, ${orCallbacks}`,
      ),
    ),
    [
      ["drs webhooks secret callbacks", "the secret for messages to callbackUrl of uploads"],
      ["drs webhooks secret wh_01K0 --rotate", "creates a new one; both sign for a day"],
      ["drs webhooks secret wh_01K0 --rotate --overlap-hours 0", "the previous one is no longer used"],
    ],
  )
    .option("--rotate", "create a new one first")
    .option(
      "--overlap-hours <hours>",
      "how long the previous one signs as well, 0 to 720 (default: 24)",
      wholeNumber(0, 720),
    )
    .action(async (word: string, flags: ClientFlags & { rotate?: true; overlapHours?: number }) => {
      const { drs, output, io } = await openSession(flags, context);
      const id = await idNamed(aWebhook, drs, word, io.signal);
      const { rotate, overlapHours } = flags;
      const options = { signal: io.signal };
      const secret =
        rotate === true
          ? await drs.webhooks.rotateSecret(id, { overlapHours }, options)
          : await drs.webhooks.secret(id, options);
      output.result(secret, () => [secret.secret]);
      if (!output.json && secret.previousUntil !== null)
        output.note(`the previous secret signs as well until ${formatTime(secret.previousUntil)}`);
    });
}

const webhookHelp = "its address or description, or webhook id, as in the list";
const orCallbacks = "or callbacks";

const named = (command: Command, what = webhookHelp): Command => command.argument("<webhook>", what);

function stateOf({ disabledAt, disabledReason, failingSince }: Webhook): string {
  if (disabledAt !== null) return `disabled: ${disabledReason}`;
  return failingSince === null ? "" : `failing since ${formatTime(failingSince)}`;
}
