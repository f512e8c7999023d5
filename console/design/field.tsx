import { type ComponentProps, type ReactElement, type ReactNode, useId } from "react";

interface Labelled {
  readonly label: string;
  readonly hint?: string | undefined;
  /** The problem with the value, and how to fix it. */
  readonly error?: string | undefined;
}

interface Control {
  readonly id: string;
  readonly className: "input";
  readonly "aria-describedby": string | undefined;
  readonly "aria-invalid": boolean;
}

function Frame({ label, hint, error, id, children }: Labelled & { id: string; children: ReactNode }): ReactElement {
  const about = error ?? hint;
  return (
    <div className="field">
      <label className="field-label" htmlFor={id}>
        {label}
      </label>
      {children}
      {about !== undefined && (
        <p id={`${id}-about`} className={error === undefined ? "field-hint" : "field-error"}>
          {about}
        </p>
      )}
    </div>
  );
}

const controlOf = (id: string, { hint, error }: Omit<Labelled, "label">): Control => ({
  id,
  className: "input",
  "aria-describedby": (error ?? hint) === undefined ? undefined : `${id}-about`,
  "aria-invalid": error !== undefined,
});

/** A one-line text input with its label above and its error below. */
export function Field({ label, hint, error, ...props }: Labelled & ComponentProps<"input">): ReactElement {
  const id = useId();
  return (
    <Frame {...{ label, hint, error, id }}>
      <input {...props} {...controlOf(id, { hint, error })} />
    </Frame>
  );
}

export function TextArea({ label, hint, error, ...props }: Labelled & ComponentProps<"textarea">): ReactElement {
  const id = useId();
  return (
    <Frame {...{ label, hint, error, id }}>
      <textarea {...props} {...controlOf(id, { hint, error })} />
    </Frame>
  );
}

export function Select({ label, hint, error, ...props }: Labelled & ComponentProps<"select">): ReactElement {
  const id = useId();
  return (
    <Frame {...{ label, hint, error, id }}>
      <select {...props} {...controlOf(id, { hint, error })} />
    </Frame>
  );
}

export function Checkbox({ label, ...props }: { readonly label: string } & ComponentProps<"input">): ReactElement {
  return (
    <label className="checkbox">
      <input {...props} type="checkbox" />
      {label}
    </label>
  );
}

/** Whether the element accepts text, so that keys typed there are not shortcuts. */
export const isWritten = (target: EventTarget | null): boolean =>
  target instanceof HTMLElement && (target.isContentEditable || /^(?:INPUT|TEXTAREA|SELECT)$/.test(target.tagName));
