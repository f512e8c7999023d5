import type { ComponentProps, ReactElement, ReactNode } from "react";

/** A group that stands for itself. */
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
  /** What it lists, for those who listen. */
  readonly label: string;
  readonly head: readonly string[];
  /** Rows: `<tr>` with as many cells as there are heads. */
  readonly children: ReactNode;
}

/** Scrolls sideways where it is wider than its place. */
export function Table({ label, head, children }: TableProps): ReactElement {
  return (
    // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- what scrolls must be in reach of the keyboard
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
  /** What can be done next. */
  readonly children: ReactNode;
  readonly action?: ReactNode;
  /** There is nothing else in the view: its title is the one of the view. */
  readonly isAll?: boolean;
}

/** In the place of a list without entries, or of a view that cannot be shown. */
export function Empty({ title, children, action, isAll = false }: EmptyProps): ReactElement {
  return (
    <div className="empty">
      {isAll ? <h1>{title}</h1> : <h2>{title}</h2>}
      <p>{children}</p>
      {action}
    </div>
  );
}
