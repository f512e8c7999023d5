import type { AuditEvent } from "@drs/client";
import { useInfiniteQuery, useQuery } from "@tanstack/react-query";
import type { ReactElement } from "react";
import { useSearchParams } from "wouter";
import { Button } from "../design/button.tsx";
import { Failure } from "../design/failure.tsx";
import { Field, Select } from "../design/field.tsx";
import { Empty, Table } from "../design/surfaces.tsx";
import { Loading } from "../design/waiting.tsx";
import { useDrs } from "../shell/drs.tsx";
import { dayEnd, dayStart } from "./days.ts";
import { useFormats } from "../shell/formats.ts";
import { useKeys, useMembers } from "./names.ts";
import { Section } from "./section.tsx";
import { type AdminTexts, useAdminTexts } from "./texts.ts";

/** Events per page. */
const shownAtOnce = 50;

/** The audit log. Its filter is in the address. */
export function Audit(): ReactElement {
  const { audit } = useAdminTexts();
  const [parameters, setParameters] = useSearchParams();
  const valueOf = (name: string): string => parameters.get(name) ?? "";
  const change = (name: string, value: string): void =>
    setParameters(
      (before) => {
        const next = new URLSearchParams(before);
        if (value === "") next.delete(name);
        else next.set(name, value);
        return next;
      },
      { replace: true },
    );
  const [kind, actor, from, until] = [valueOf("kind"), valueOf("actor"), valueOf("from"), valueOf("until")];
  return (
    <Section title={audit.title} about={audit.about}>
      <div className="filters">
        <Select label={audit.kind} value={kind} onChange={({ target }) => change("kind", target.value)}>
          <option value="">{audit.allKinds}</option>
          {Object.entries(audit.kinds).map(([name, label]) => (
            <option key={name} value={name}>
              {label}
            </option>
          ))}
        </Select>
        <ActorSelect value={actor} onChange={(value) => change("actor", value)} />
        <Field label={audit.from} type="date" value={from} onChange={({ target }) => change("from", target.value)} />
        <Field label={audit.until} type="date" value={until} onChange={({ target }) => change("until", target.value)} />
      </div>
      <Found {...{ kind, actor, from, until }} />
    </Section>
  );
}

interface FoundProps {
  /** All values as in the address: "" for any, days as "2026-11-22". */
  readonly kind: string;
  readonly actor: string;
  readonly from: string;
  readonly until: string;
}

function Found({ kind, actor, from, until }: FoundProps): ReactElement {
  const { audit } = useAdminTexts();
  const drs = useDrs();
  const { data, error, refetch, hasNextPage, fetchNextPage, isFetchingNextPage } = useInfiniteQuery({
    queryKey: ["audit", kind, actor, from, until],
    initialPageParam: 0,
    queryFn: async ({ pageParam: offset, signal }) => {
      const narrowed = { actor, since: dayStart(from), until: dayEnd(until) };
      return drs.audit.page(
        { action: kind === "" ? "" : `${kind}.`, ...narrowed, offset, limit: shownAtOnce },
        { signal },
      );
    },
    getNextPageParam: ({ total, offset, data: events }) =>
      offset + events.length < total && events.length > 0 ? offset + events.length : undefined,
  });
  // New events shift older ones to the next page.
  const events = new Map(data?.pages.flatMap((page) => page.data.map((event) => [event.id, event] as const)));
  return (
    <>
      {error && <Failure error={error} onRetry={() => void refetch()} />}
      {data === undefined && !error && <Loading lines={6} />}
      {events.size > 0 && <Events events={[...events.values()]} />}
      {data !== undefined && events.size === 0 && <Empty title={audit.empty}>{audit.emptyNext}</Empty>}
      {hasNextPage && (
        <div className="row">
          <Button disabled={isFetchingNextPage} onClick={() => void fetchNextPage()}>
            {audit.more}
          </Button>
        </div>
      )}
    </>
  );
}

interface ActorSelectProps {
  readonly value: string;
  readonly onChange: (value: string) => void;
}

function ActorSelect({ value, onChange }: ActorSelectProps): ReactElement {
  const { audit, keys: keyTexts } = useAdminTexts();
  const { data: members = [] } = useQuery(useMembers());
  const { data: keys = [] } = useQuery(useKeys());
  const actors: readonly (readonly [actor: string, name: string])[] = [
    ...members.map(({ id, name }) => [`member ${id}`, name] as const),
    ...keys.map(({ id, name }) => [`key ${id}`, `${keyTexts.key}: ${name || id}`] as const),
    ["service", audit.service],
  ];
  const isKnown = value === "" || actors.some(([actor]) => actor === value);
  return (
    <Select label={audit.actor} value={value} onChange={({ target }) => onChange(target.value)}>
      <option value="">{audit.anyone}</option>
      {!isKnown && <option value={value}>{value}</option>}
      {actors.map(([actor, name]) => (
        <option key={actor} value={actor}>
          {name}
        </option>
      ))}
    </Select>
  );
}

function Events({ events }: { readonly events: readonly AuditEvent[] }): ReactElement {
  const { audit } = useAdminTexts();
  const formats = useFormats();
  const actorName = useActorName();
  return (
    <Table label={audit.title} head={[audit.at, audit.actor, audit.action, audit.target, audit.details]}>
      {events.map(({ id, at, actor, action, target, details }) => (
        <tr key={id}>
          <td className="numbers">{formats.time(at)}</td>
          <td className="no-wrap" title={actor}>
            {actorName(actor)}
          </td>
          <td>
            <code>{action}</code>
          </td>
          <td>
            <code className="small">{target}</code>
          </td>
          <td className="quiet">{details}</td>
        </tr>
      ))}
    </Table>
  );
}

/** Returns the name of the actor if it is known, else the text in the log. */
function useActorName(): (actor: string) => string {
  const { audit, keys: keyTexts }: AdminTexts = useAdminTexts();
  const { data: members = [] } = useQuery(useMembers());
  const { data: keys = [] } = useQuery(useKeys());
  const names = new Map([
    ...members.map(({ id, name }) => [`member ${id}`, name] as const),
    ...keys.flatMap(({ id, name }) => (name === "" ? [] : [[`key ${id}`, `${keyTexts.key}: ${name}`] as const])),
    ["service", audit.service],
  ]);
  return (actor) => names.get(actor) ?? actor;
}
