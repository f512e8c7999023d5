import { type ComponentProps, type ReactElement, type ReactNode, useId } from "react";
import { IconButton } from "./button.tsx";
import type { IconName } from "./icon.tsx";

interface MenuProps {
  readonly icon: IconName;
  readonly label: string;
  readonly children: ReactNode;
}

/** A button that opens a list of actions. A click outside or Esc closes the list. */
export function Menu({ icon, label, children }: MenuProps): ReactElement {
  const id = useId();
  return (
    <>
      <IconButton icon={icon} label={label} popoverTarget={id} />
      <div id={id} popover="auto" className="menu">
        {children}
      </div>
    </>
  );
}

/** An action closes the menu. A choice (with `aria-pressed`) leaves it open. */
export function MenuItem({ onClick, ...props }: ComponentProps<"button">): ReactElement {
  const isChoice = props["aria-pressed"] !== undefined;
  return (
    <button
      type="button"
      {...props}
      className="menu-item"
      onClick={(event) => {
        onClick?.(event);
        if (!isChoice) event.currentTarget.closest<HTMLElement>("[popover]")?.hidePopover();
      }}
    />
  );
}
