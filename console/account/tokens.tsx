import type { TokenInfo } from "@drs/client";
import { useQuery } from "@tanstack/react-query";
import { type ReactElement, useState } from "react";
import { Button } from "../design/button.tsx";
import { Failure } from "../design/failure.tsx";
import { Table } from "../design/surfaces.tsx";
import { Loading } from "../design/waiting.tsx";
import { Confirm } from "../shell/change.tsx";
import { useDrs } from "../shell/drs.tsx";
import { useFormats } from "../shell/formats.ts";
import { useMe } from "../shell/session.tsx";
import { useTexts } from "../texts/texts.tsx";

/** The personal tokens of a member, mostly for terminals, each with a button that ends it. */
export function Tokens(): ReactElement | null {
  const { account } = useTexts();
  const { memberId } = useMe();
  const drs = useDrs();
  const formats = useFormats();
  const { data, error, refetch } = useQuery({
    queryKey: ["tokens"],
    queryFn: async ({ signal }) => drs.tokens.list({ signal }),
    enabled: memberId !== null,
  });
  const [ending, setEnding] = useState<TokenInfo>();
  if (memberId === null) return null;
  return (
    <section className="stack">
      <h2>{account.tokens}</h2>
      <p className="quiet">{account.tokensAbout}</p>
      {error && <Failure error={error} onRetry={() => void refetch()} />}
      {data === undefined ? (
        !error && <Loading lines={2} />
      ) : (
        <Table label={account.tokens} head={[account.madeFor, account.made, account.actions]}>
          {data.map((token) => (
            <tr key={token.id}>
              <td>{token.deviceName ?? account.ofJoining}</td>
              <td className="numbers">{formats.time(token.createdAt)}</td>
              <td>
                <Button kind="danger" onClick={() => setEnding(token)}>
                  {account.end}
                </Button>
              </td>
            </tr>
          ))}
        </Table>
      )}
      {ending && (
        <Confirm
          title={account.tokenEndTitle(ending.deviceName)}
          submit={account.end}
          run={async () => drs.tokens.end(ending.id)}
          stale={["tokens"]}
          done={account.tokenEnded}
          onClose={() => setEnding(undefined)}
        >
          {account.tokenEndAbout}
        </Confirm>
      )}
    </section>
  );
}
