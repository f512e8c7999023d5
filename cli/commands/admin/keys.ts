import type { Command } from "commander";
import type { ApiKey, Filter, KeyScope, NewApiKey } from "@drs/client";
import { formatTime } from "../../output/amounts.ts";
import { choices, daysUpTo, where, wholeNumber } from "../flag-values.ts";
import { aKey, idNamed, toldWithId } from "../../names/find-named.ts";
import { type Output, printPage } from "../../output/output.ts";
import type { Column } from "../../output/table.ts";
import { type AgreementFlags, agrees, withAgreement } from "../agreement.ts";
import { type ClientFlags, type Context, openSession, withClient, withExamples, withServer } from "../command.ts";

/** The service's limit, days. */
const maxKeyDays = 3_650;

const scopes: readonly KeyScope[] = ["read", "write", "search", "admin"];

const columns: readonly Column<ApiKey>[] = [
  { title: "KEY", value: ({ id }) => id },
  { title: "NAME", maxColumns: 32, value: ({ name }) => name },
  { title: "WORKSPACE", value: ({ workspaceId }) => workspaceId },
  { title: "SCOPES", value: (key) => key.scopes.join(",") },
  { title: "CREATED", rank: 1, value: ({ createdAt }) => formatTime(createdAt) },
  { title: "LAST USED", value: ({ lastUsedAt }) => formatTime(lastUsedAt) },
  { title: "EXPIRES", value: ({ expiresAt }) => (expiresAt === null ? "never" : formatTime(expiresAt)) },
  {
    title: "BOUND TO",
    rank: 2,
    maxColumns: 32,
    value: ({ filter }) => (filter === null ? "" : JSON.stringify(filter)),
  },
  { title: "REVOKED", value: ({ revokedAt }) => formatTime(revokedAt) },
];

interface CreateFlags extends ClientFlags {
  readonly name?: string;
  readonly scopes?: readonly KeyScope[];
  readonly expiresInDays?: number;
  readonly requestsPerMinute?: number;
  readonly where?: Filter;
}

export function defineKeys(command: Command, context: Context): void {
  defineCreate(command, context);
  defineList(command, context);
  defineRotate(command, context);
  defineRevoke(command, context);
}

function defineCreate(command: Command, context: Context): void {
  withExamples(withServer(command.command("create").description("create an API key; it is shown only once")), [
    ["drs keys create --workspace default --name ci --json", '{"id":…,"key":…}'],
    ["drs keys create --scopes search", "a key that can do nothing but search"],
    ["drs keys create --name acme --where customer=42", "a key restricted to documents with this metadata"],
    ["drs keys create --name guest --expires-in-days 7 --requests-per-minute 60", "limited in time and rate"],
  ])
    .option("--workspace <workspace>", "id or name of the workspace (default: of the key in use)")
    .option("--name <name>", "what the key is for")
    .option("--scopes <list>", "with commas: read, write, search, admin (default: read,write,search)", choices(scopes))
    .option("--expires-in-days <days>", "days until it expires, up to 3650 (default: never)", daysUpTo(maxKeyDays))
    .option(
      "--requests-per-minute <n>",
      "its own rate limit (default: only the limit of its workspace)",
      wholeNumber(1, 1_000_000),
    )
    .option(
      "--where <condition>",
      "restrict it permanently to datasets with this metadata, their pages and jobs; repeatable",
      where,
    )
    .action(async ({ workspace, ...flags }: CreateFlags) => {
      const { drs, output, io } = await openSession(flags, context);
      const { name, scopes: wanted, expiresInDays, requestsPerMinute, where: filter } = flags;
      const request = { workspace, name, scopes: wanted, expiresInDays, requestsPerMinute, filter };
      printNew(output, await drs.keys.create(request, { signal: io.signal }));
    });
}

function defineList(command: Command, context: Context): void {
  withExamples(withServer(command.command("list").description("list API keys, without the keys themselves")), [
    ["drs keys list --workspace default", "the keys of one workspace"],
  ])
    .option("--workspace <workspace>", "only keys of this workspace, by id or name")
    .action(async ({ workspace, ...flags }: ClientFlags) => {
      const { drs, output, io } = await openSession(flags, context);
      const data = await drs.keys.list({ workspace }, { signal: io.signal });
      printPage(output, { total: data.length, offset: 0, limit: data.length, data }, columns, "no keys");
    });
}

function defineRotate(command: Command, context: Context): void {
  withExamples(
    withClient(
      command
        .command("rotate")
        .description("create a key to replace another one, which stays valid for a while; it is shown only once")
        .argument("<key>", "its name, or key id, as in the list"),
    ),
    [
      ["drs keys rotate crawler", "the old one stays valid for a day"],
      ["drs keys rotate 01K0ABCD --overlap-hours 0", "the old one is rejected at once"],
    ],
  )
    .option("--overlap-hours <hours>", "how long the old key stays valid, 0 to 720 (default: 24)", wholeNumber(0, 720))
    .action(async (word: string, flags: ClientFlags & { overlapHours?: number }) => {
      const { drs, output, io } = await openSession(flags, context);
      const { overlapHours } = flags;
      const id = await idNamed(aKey, drs, word, io.signal);
      printNew(output, await drs.keys.rotate(id, { overlapHours }, { signal: io.signal }));
    });
}

function defineRevoke(command: Command, context: Context): void {
  withExamples(
    withAgreement(
      withClient(
        command
          .command("revoke")
          .description("revoke an API key for good")
          .argument("<key>", "its name, or key id, as in the list"),
      ),
    ),
    [["drs keys revoke crawler", "it is rejected from now on"]],
  ).action(async (word: string, flags: ClientFlags & AgreementFlags) => {
    const { drs, output, io } = await openSession(flags, context);
    const id = await idNamed(aKey, drs, word, io.signal);
    if (!(await agrees(`revoke the key ${toldWithId(word, id)} for good?`, flags, context))) return;
    const key = await drs.keys.revoke(id, { signal: io.signal });
    output.result(key, () => [`${key.id} is revoked`]);
  });
}

/** Prints only the key on stdout, so that scripts can read it. */
function printNew(output: Output, { id, key, ...rest }: NewApiKey): void {
  output.result({ id, key, ...rest }, () => [key]);
  if (output.json) return;
  const until = rest.expiresAt === null ? "" : `, until ${formatTime(rest.expiresAt)}`;
  output.note(`key ${id} for ${rest.workspaceId} (${rest.scopes.join(", ")})${until}; it is not shown again`);
}
