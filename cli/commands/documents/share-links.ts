import type { Command } from "commander";
import { formatTime } from "../../output/amounts.ts";
import { type AgreementFlags, agrees, withAgreement } from "../agreement.ts";
import { type ClientFlags, type Context, openSession, withClient, withExamples } from "../command.ts";

export function defineLinks(command: Command, context: Context): void {
  withExamples(
    withAgreement(
      withClient(
        command
          .command("rotate")
          .description("sign links with a new key from now on, and optionally revoke the old links"),
      ),
    ),
    [
      ["drs links rotate", "earlier links stay valid until they expire, seven days at most"],
      ["drs links rotate --revoke", "all earlier links, of every organisation, stop working at once"],
    ],
  )
    .option("--revoke", "revoke all links created so far")
    .addHelpText(
      "after",
      "\nOnly for the operator of the service. The key also changes by itself every 30 days. drs datasets delete\nrevokes the links of one document.",
    )
    .action(async ({ revoke = false, ...flags }: ClientFlags & AgreementFlags & { revoke?: boolean }) => {
      const { drs, output, io } = await openSession(flags, context);
      const question = "revoke all links created so far, of every organisation?";
      if (revoke && !(await agrees(question, flags, context))) return;
      const rotation = await drs.links.rotate({ revoke }, { signal: io.signal });
      output.result({ ...rotation, revoked: revoke }, () => [
        revoke
          ? "all links created so far are revoked; a new key signs the next ones"
          : `a new key signs links; earlier ones expire by ${formatTime(rotation.olderEndBy)}`,
      ]);
    });
}
