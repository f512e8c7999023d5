import type { ComponentProps, ReactElement, ReactNode } from "react";

/** A group of related content. */
export function Card(props: ComponentProps<"section">): ReactElement {
  return <section {...props} className="card stack" />;
}

interface TagProps {
  readonly tone?: "plain" | "accent" | "signal";
  readonly children: ReactNode;
}

/** One word about the thing beside it. */
export function Tag({ tone = "plain", children }: TagProps): ReactElement {
  return <span className={tone === "plain" ? "tag" : `tag tag-${tone}`}>{children}</span>;
}

interface TableProps {
  /** The name of the list for screen readers. */
  readonly label: string;
  readonly head: readonly string[];
  /** Rows: `<tr>` with as many cells as there are heads. */
  readonly children: ReactNode;
}

/** A table that scrolls sideways if it is too wide. */
export function Table({ label, head, children }: TableProps): ReactElement {
  return (
    // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- scrollable content must be reachable by keyboard
    <section className="table-frame" aria-label={label} tabIndex={0}>
      <table className="table">
        <thead>
          <tr>
            {head.map((title) => (
              <th key={title} scope="col">
                {title}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>{children}</tbody>
      </table>
    </section>
  );
}

interface EmptyProps {
  readonly title: string;
  /** A hint about the next step. */
  readonly children: ReactNode;
  readonly action?: ReactNode;
  /** Whether the view shows nothing else, so that this title is the view's title. */
  readonly isAll?: boolean;
}

/** Replaces an empty list, or a view that cannot be shown. */
export function Empty({ title, children, action, isAll = false }: EmptyProps): ReactElement {
  return (
    <div className="empty">
      {isAll ? <h1>{title}</h1> : <h2>{title}</h2>}
      <p>{children}</p>
      {action}
    </div>
  );
}
