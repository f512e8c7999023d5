import type { TokenInfo } from "@drs/client";
import type { Command } from "commander";
import { formatTime } from "../../output/amounts.ts";
import { aToken, idNamed } from "../../names/find-named.ts";
import { printPage } from "../../output/output.ts";
import type { Column } from "../../output/table.ts";
import { type ClientFlags, type Context, openSession, withClient, withExamples } from "../command.ts";

const columns: readonly Column<TokenInfo>[] = [
  { title: "TOKEN", value: ({ id }) => id },
  { title: "DEVICE", minColumns: 12, value: ({ deviceName }) => deviceName ?? "–" },
  { title: "MADE", value: ({ createdAt }) => formatTime(createdAt) },
  { title: "IN USE", value: ({ isCurrent }) => (isCurrent ? "here" : "") },
];

export function defineTokens(command: Command, context: Context): void {
  withExamples(withClient(command.command("list").description("list your personal tokens, without their secrets")), [
    ["drs tokens list", "the devices on which you are signed in"],
  ]).action(async (flags: ClientFlags) => {
    const { drs, output, io } = await openSession(flags, context);
    const data = await drs.tokens.list({ signal: io.signal });
    const page = { total: data.length, offset: 0, limit: data.length, data };
    printPage(output, page, columns, "no personal tokens: this call uses an API key");
  });

  withExamples(
    withClient(
      command
        .command("end")
        .description("end one of your personal tokens")
        .argument("<token>", "its device, or token id, as the list shows them"),
    ),
    [["drs tokens end laptop", "the lost device is rejected from now on"]],
  ).action(async (word: string, flags: ClientFlags) => {
    const { drs, output, io } = await openSession(flags, context);
    const id = await idNamed(aToken, drs, word, io.signal);
    await drs.tokens.end(id, { signal: io.signal });
    output.result({ id, ended: true }, () => [`${id} is ended`]);
  });
}
