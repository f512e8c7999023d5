import type { Session } from "@drs/client";
import { useQuery } from "@tanstack/react-query";
import { type ReactElement, type ReactNode, useState } from "react";
import { Button } from "../design/button.tsx";
import { Failure } from "../design/failure.tsx";
import { Card, Table, Tag } from "../design/surfaces.tsx";
import { Loading } from "../design/waiting.tsx";
import { Confirm } from "../shell/change.tsx";
import { useDrs } from "../shell/drs.tsx";
import { useFormats } from "../shell/formats.ts";
import { useMe } from "../shell/session.tsx";
import { useTexts } from "../texts/texts.tsx";
import { browserOf } from "./browser-name.ts";
import { Identities } from "./identities.tsx";
import { Tokens } from "./tokens.tsx";

/** Shows who is signed in, and in which browsers. */
export default function AccountPage(): ReactElement {
  const { account } = useTexts();
  return (
    <div className="stack-wide">
      <title>{`${account.title} · drs`}</title>
      <h1>{account.title}</h1>
      <Self />
      <Sessions />
      <Tokens />
      <Identities />
    </div>
  );
}

function Self(): ReactElement {
  const { account } = useTexts();
  const { memberId, keyId, role, scopes, ...me } = useMe();
  return (
    <Card>
      <dl className="facts">
        <Fact name={memberId === null ? account.key : account.member}>
          <Named name={me.name} id={memberId ?? keyId ?? ""} />
        </Fact>
        {role !== null && <Fact name={account.role}>{account.roles[role]}</Fact>}
        <Fact name={account.scopes}>
          {scopes.map((scope) => (
            <Tag key={scope}>{scope}</Tag>
          ))}
        </Fact>
        <Fact name={account.organisation}>
          <Named name={me.organisationName} id={me.organisationId} />
        </Fact>
        <Fact name={account.workspace}>
          <Named name={me.workspaceName} id={me.workspaceId} />
        </Fact>
      </dl>
    </Card>
  );
}

/** A name with its id below, which programs and support ask for; only the id if there is no name. */
function Named({ name, id }: { readonly name: string; readonly id: string }): ReactElement {
  if (name === "") return <code>{id}</code>;
  return (
    <span>
      {name}
      <br />
      <code className="quiet small">{id}</code>
    </span>
  );
}

function Fact({ name, children }: { readonly name: string; readonly children: ReactNode }): ReactElement {
  return (
    <div>
      <dt>{name}</dt>
      <dd className="row">{children}</dd>
    </div>
  );
}

function Sessions(): ReactElement {
  const { account, common } = useTexts();
  const drs = useDrs();
  const formats = useFormats();
  const { data, error, refetch } = useQuery({
    queryKey: ["sessions"],
    queryFn: async ({ signal }) => drs.sessions.list({ signal }),
  });
  const [ending, setEnding] = useState<Session>();
  const nameOf = ({ agent }: Session): string => (agent === "" ? account.unknownBrowser : browserOf(agent));
  return (
    <section className="stack">
      <h2>{account.sessions}</h2>
      <p className="quiet">{account.sessionsAbout}</p>
      {error && <Failure error={error} onRetry={() => void refetch()} />}
      {data === undefined ? (
        !error && <Loading lines={2} />
      ) : (
        <Table label={account.sessions} head={[account.browser, account.begun, account.used, account.actions]}>
          {data.map((session) => (
            <tr key={session.id}>
              <td>
                {nameOf(session)} {session.isCurrent && <Tag tone="accent">{account.current}</Tag>}
              </td>
              <td className="numbers">{formats.time(session.createdAt)}</td>
              <td className="numbers">
                {session.lastUsedAt === null ? common.never : formats.time(session.lastUsedAt)}
              </td>
              <td>
                {!session.isCurrent && (
                  <Button kind="danger" onClick={() => setEnding(session)}>
                    {account.end}
                  </Button>
                )}
              </td>
            </tr>
          ))}
        </Table>
      )}
      {ending && (
        <Confirm
          title={account.endTitle(nameOf(ending))}
          submit={account.end}
          run={async () => drs.sessions.end(ending.id)}
          stale={["sessions"]}
          done={account.ended}
          onClose={() => setEnding(undefined)}
        >
          {account.endAbout}
        </Confirm>
      )}
    </section>
  );
}
