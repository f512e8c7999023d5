import type { ComponentProps, ReactElement } from "react";
import { Icon, type IconName } from "./icon.tsx";

type Kind = "default" | "primary" | "danger" | "plain";

interface ButtonProps extends ComponentProps<"button"> {
  readonly kind?: Kind;
  readonly icon?: IconName;
}

const classOf = (kind: Kind, isIcon = false): string =>
  ["button", ...(kind === "default" ? [] : [`button-${kind}`]), ...(isIcon ? ["button-icon"] : [])].join(" ");

/** A view has one `primary` button. Actions that cannot be undone are `danger`. */
export function Button({ kind = "default", icon, children, type = "button", ...props }: ButtonProps): ReactElement {
  return (
    <button {...props} type={type} className={classOf(kind)}>
      {icon && <Icon name={icon} />}
      {children}
    </button>
  );
}

interface IconButtonProps extends Omit<ComponentProps<"button">, "children"> {
  readonly kind?: Kind;
  readonly icon: IconName;
  /** The action, for screen readers and as a tooltip. */
  readonly label: string;
}

export function IconButton({ kind = "plain", icon, label, ...props }: IconButtonProps): ReactElement {
  return (
    <button type="button" {...props} className={classOf(kind, true)} aria-label={label} title={label}>
      <Icon name={icon} />
    </button>
  );
}
