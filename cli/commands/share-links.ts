import type { Command } from "commander";
import { formatTime } from "../output/amounts.ts";
import { type AgreementFlags, agrees, withAgreement } from "./agreement.ts";
import { type ClientFlags, type Context, openSession, withClient, withExamples } from "./command.ts";

export function defineLinks(command: Command, context: Context): void {
  withExamples(
    withAgreement(
      withClient(
        command
          .command("rotate")
          .description("sign links with a new key from now on, and end the old ones if asked to"),
      ),
    ),
    [
      ["drs links rotate", "links given out before live out their time, seven days at most"],
      ["drs links rotate --revoke", "all links given out so far end at once, those of every organisation"],
    ],
  )
    .option("--revoke", "end all links that have been given out")
    .addHelpText(
      "after",
      "\nOnly for those who run the service. Without this a new key signs every 30 days by itself. drs datasets delete\nends the links of one document.",
    )
    .action(async ({ revoke = false, ...flags }: ClientFlags & AgreementFlags & { revoke?: boolean }) => {
      const { drs, output, world } = await openSession(flags, context);
      const question = "end all links that have been given out, of every organisation?";
      if (revoke && !(await agrees(question, flags, context))) return;
      const rotation = await drs.links.rotate({ revoke }, { signal: world.signal });
      output.result({ ...rotation, revoked: revoke }, () => [
        revoke
          ? "all links given out so far have ended; a new key signs the next ones"
          : `a new key signs links; those given out before end by ${formatTime(rotation.olderEndBy)}`,
      ]);
    });
}
