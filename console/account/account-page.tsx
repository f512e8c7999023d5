import { useQuery } from "@tanstack/react-query";
import type { ReactElement, ReactNode } from "react";
import { Button } from "../design/button.tsx";
import { Failure } from "../design/failure.tsx";
import { Card, Table, Tag } from "../design/surfaces.tsx";
import { Loading } from "../design/waiting.tsx";
import { useChange } from "../shell/change.ts";
import { useDrs } from "../shell/drs.tsx";
import { useFormats } from "../shell/formats.ts";
import { useMe } from "../shell/session.tsx";
import { showToast } from "../shell/toasts.tsx";
import { useTexts } from "../texts/texts.tsx";
import { browserOf } from "./browser-name.ts";
import { Identities } from "./identities.tsx";
import { Tokens } from "./tokens.tsx";

/** Who is signed in, and in which browsers. */
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
  const { memberId, keyId, role, scopes, organisationId, workspaceId } = useMe();
  return (
    <Card>
      <dl className="facts">
        <Fact name={memberId === null ? account.key : account.member}>
          <code>{memberId ?? keyId}</code>
        </Fact>
        {role !== null && <Fact name={account.role}>{account.roles[role]}</Fact>}
        <Fact name={account.scopes}>
          {scopes.map((scope) => (
            <Tag key={scope}>{scope}</Tag>
          ))}
        </Fact>
        <Fact name={account.organisation}>
          <code>{organisationId}</code>
        </Fact>
        <Fact name={account.workspace}>
          <code>{workspaceId}</code>
        </Fact>
      </dl>
    </Card>
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
  const end = useChange({
    run: async (id: string) => drs.sessions.end(id),
    stale: ["sessions"],
    done: () => showToast(account.ended),
  });
  return (
    <section className="stack">
      <h2>{account.sessions}</h2>
      <p className="quiet">{account.sessionsAbout}</p>
      {error && <Failure error={error} onRetry={() => void refetch()} />}
      {data === undefined ? (
        !error && <Loading lines={2} />
      ) : (
        <Table label={account.sessions} head={[account.browser, account.begun, account.used, account.actions]}>
          {data.map(({ id, agent, createdAt, lastUsedAt, isCurrent }) => (
            <tr key={id}>
              <td>
                {agent === "" ? account.unknownBrowser : browserOf(agent)}{" "}
                {isCurrent && <Tag tone="accent">{account.current}</Tag>}
              </td>
              <td className="numbers">{formats.time(createdAt)}</td>
              <td className="numbers">{lastUsedAt === null ? common.never : formats.time(lastUsedAt)}</td>
              <td>
                {!isCurrent && (
                  <Button kind="danger" onClick={() => end.mutate(id)}>
                    {account.end}
                  </Button>
                )}
              </td>
            </tr>
          ))}
        </Table>
      )}
    </section>
  );
}
