import { type Command, Option } from "commander";
import type { Invitation, Member, MemberRole } from "@drs/client";
import { formatTime } from "../../output/amounts.ts";
import { aMember, anInvitation, idNamed, toldWithId } from "../../names/find-named.ts";
import { printPage } from "../../output/output.ts";
import { printable } from "../../output/printable.ts";
import type { Column } from "../../output/table.ts";
import { type AgreementFlags, agrees, withAgreement } from "../agreement.ts";
import { type ClientFlags, type Context, openSession, withClient, withExamples } from "../command.ts";
import { wholeNumber } from "../flag-values.ts";

const roles: readonly MemberRole[] = ["owner", "admin", "member", "viewer"];

interface InviteFlags extends ClientFlags {
  readonly role: MemberRole;
  readonly email?: string;
  readonly expiresInHours?: number;
}

const memberColumns: readonly Column<Member>[] = [
  { title: "MEMBER", value: ({ id }) => id },
  { title: "NAME", minColumns: 12, value: ({ name }) => name },
  { title: "ROLE", value: ({ role }) => role },
  { title: "JOINED", value: ({ createdAt }) => formatTime(createdAt) },
  { title: "LAST USED", value: ({ lastUsedAt }) => formatTime(lastUsedAt) },
];

const invitationColumns: readonly Column<Invitation>[] = [
  { title: "INVITATION", value: ({ id }) => id },
  { title: "NAME", minColumns: 12, value: ({ name }) => name },
  { title: "EMAIL", value: ({ email }) => email ?? "" },
  { title: "ROLE", value: ({ role }) => role },
  { title: "CREATED", value: ({ createdAt }) => formatTime(createdAt) },
  { title: "EXPIRES", value: ({ expiresAt }) => formatTime(expiresAt) },
];

export function defineMembers(command: Command, context: Context): void {
  command.addHelpText(
    "after",
    "\nA viewer can read and search, a member can also write, admins and owners manage; only owners can create owners.",
  );
  defineInvitations(command, context);

  withExamples(withClient(command.command("list").description("list the members of the organisation")), [
    ["drs members list", "members and their roles"],
  ]).action(async (flags: ClientFlags) => {
    const { drs, output, io } = await openSession(flags, context);
    const data = await drs.members.list({ signal: io.signal });
    const empty = "no members yet; add one with: drs members invite NAME --role ROLE";
    printPage(output, { total: data.length, offset: 0, limit: data.length, data }, memberColumns, empty);
  });

  const role = command.command("role").description("change what a member may do");
  role
    .argument("<member>", "name, or member id, mem_…")
    .addArgument(role.createArgument("<role>", "the new role").choices(roles));
  withExamples(withClient(role), [["drs members role Ada admin", "takes effect with the next call"]]).action(
    async (word: string, wanted: MemberRole, flags: ClientFlags) => {
      const { drs, output, io } = await openSession(flags, context);
      const id = await idNamed(aMember, drs, word, io.signal);
      const member = await drs.members.setRole(id, wanted, { signal: io.signal });
      output.result(member, () => [`${member.id} (${printable(member.name)}) is ${member.role}`]);
    },
  );

  withExamples(
    withAgreement(
      withClient(
        command.command("remove").description("remove a member").argument("<member>", "name, or member id, mem_…"),
      ),
    ),
    [["drs members remove Ada", "all sign-ins of the member are rejected from now on"]],
  ).action(async (word: string, flags: ClientFlags & AgreementFlags) => {
    const { drs, output, io } = await openSession(flags, context);
    const id = await idNamed(aMember, drs, word, io.signal);
    if (!(await agrees(`remove the member ${toldWithId(word, id)}?`, flags, context))) return;
    await drs.members.remove(id, { signal: io.signal });
    output.result({ id, removed: true }, () => [`${id} is removed`]);
  });
}

function defineInvitations(command: Command, context: Context): void {
  withExamples(
    withClient(
      command
        .command("invite")
        .description("invite a person; the invitation's token is shown only once")
        .argument("<name>", "a name or e-mail address, for the list only"),
    ),
    [
      [
        "drs members invite ann@example.com --role viewer",
        "they then open the printed address, or run: drs login --server URL --invitation",
      ],
      ["drs members invite Ann --email ann@example.com --role member", "they can also sign in with that address"],
      ["drs members invite ann --role member --json", '{"id":…,"token":…,"joinUrl":…}'],
    ],
  )
    .addOption(new Option("--role <role>", "role of the invited person").choices(roles).makeOptionMandatory())
    .option("--email <address>", "also admit whoever signs in with this address, if the server has a provider")
    .option("--expires-in-hours <hours>", "hours until it expires, 1 to 720 (default: 72)", wholeNumber(1, 720))
    .action(async (name: string, flags: InviteFlags) => {
      const { drs, output, io } = await openSession(flags, context);
      const { role, expiresInHours, email } = flags;
      const { id, token, joinUrl, ...rest } = await drs.members.invite(
        { name, role, expiresInHours, email },
        { signal: io.signal },
      );
      output.result({ id, token, joinUrl, ...rest }, () => [token]);
      if (!output.json)
        output.note(
          `invitation ${id} as ${rest.role}, until ${formatTime(rest.expiresAt)}; it is not shown again\n` +
            (joinUrl === null ? "" : `to join in a browser, they open: ${joinUrl}\n`) +
            "to join in a terminal, they run: drs login --server URL --invitation",
        );
    });

  withExamples(withClient(command.command("invitations").description("list the invitations that are still open")), [
    ["drs members invitations", "without their tokens"],
  ]).action(async (flags: ClientFlags) => {
    const { drs, output, io } = await openSession(flags, context);
    const data = await drs.members.invitations({ signal: io.signal });
    const page = { total: data.length, offset: 0, limit: data.length, data };
    printPage(output, page, invitationColumns, "no open invitations");
  });

  withExamples(
    withClient(
      command
        .command("revoke")
        .description("revoke an invitation")
        .argument("<invitation>", "its name or address, or invitation id, inv_…"),
    ),
    [["drs members revoke ann@example.com", "drs members invitations lists the open ones"]],
  ).action(async (word: string, flags: ClientFlags) => {
    const { drs, output, io } = await openSession(flags, context);
    const id = await idNamed(anInvitation, drs, word, io.signal);
    await drs.members.revokeInvitation(id, { signal: io.signal });
    output.result({ id, revoked: true }, () => [`${id} is revoked`]);
  });
}
