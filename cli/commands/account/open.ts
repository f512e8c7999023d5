import type { Command } from "commander";
import { openInBrowser } from "../../terminal/browser.ts";
import { printable } from "../../output/printable.ts";
import { type ClientFlags, type Context, openSession, withExamples, withServer } from "../command.ts";

export function defineOpen(command: Command, context: Context): void {
  withExamples(withServer(command), [
    ["drs open", "opens the console of the server in the browser"],
    ["drs open --print", "prints its address, for a browser elsewhere; works once, within a minute"],
  ])
    .option("--print", "print the address and open nothing")
    .action(async (flags: ClientFlags & { print?: true }) => {
      // A server started by this command would be gone before the browser opens the page.
      const io = { ...context.io, env: { ...context.io.env, DRS_LOCAL: "never" } };
      const { drs, output } = await openSession(flags, { ...context, io });
      const { uri, expiresAt } = await drs.sessions.createCode({ signal: io.signal });
      const problem = flags.print === true ? "" : await openInBrowser(uri, io.env);
      const isOpen = problem === undefined;
      if (problem !== undefined && problem !== "" && !output.json)
        output.note(`not opened: ${printable(problem)}; open this within a minute:`);
      output.result({ uri, expiresAt, opened: isOpen }, () => [
        isOpen ? "opened the console in the browser" : printable(uri),
      ]);
    });
}
