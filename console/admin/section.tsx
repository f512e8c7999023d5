import type { ReactElement, ReactNode } from "react";

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
