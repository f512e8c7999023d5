import type { UseQueryResult } from "@tanstack/react-query";
import type { ReactElement, ReactNode } from "react";
import { Failure } from "../design/failure.tsx";
import { Empty, Table } from "../design/surfaces.tsx";
import { Loading } from "../design/waiting.tsx";

interface SectionProps {
  readonly title: string;
  readonly about: string;
  /** A button beside the title. */
  readonly action?: ReactNode;
  readonly children: ReactNode;
}

/** A view of the administration, with its title. */
export function Section({ title, about, action, children }: SectionProps): ReactElement {
  return (
    <section className="stack">
      <title>{`${title} · drs`}</title>
      <div className="section-head">
        <div>
          <h2>{title}</h2>
          <p className="quiet">{about}</p>
        </div>
        {action}
      </div>
      {children}
    </section>
  );
}

interface ListingProps<Entry> {
  readonly query: UseQueryResult<readonly Entry[]>;
  /** The name of the list for screen readers. */
  readonly label: string;
  readonly head: readonly string[];
  /** Shown if the list is empty. If undefined, nothing is shown. */
  readonly empty?: { readonly title: string; readonly next: string; readonly action?: ReactNode };
  /** Renders a row of the table. */
  readonly children: (entry: Entry) => ReactNode;
}

/** A table of a query's results. Shows skeletons while it loads, and a failure or an empty state in its place. */
export function Listing<Entry>({ query, label, head, empty, children }: ListingProps<Entry>): ReactElement | null {
  const { data, error, refetch } = query;
  if (data === undefined) {
    return error ? <Failure error={error} onRetry={() => void refetch()} /> : <Loading />;
  }
  if (data.length > 0) {
    return (
      <>
        {error && <Failure error={error} onRetry={() => void refetch()} />}
        <Table label={label} head={head}>
          {data.map(children)}
        </Table>
      </>
    );
  }
  return empty === undefined ? null : (
    <Empty title={empty.title} action={empty.action}>
      {empty.next}
    </Empty>
  );
}
