import { type ReactElement, useEffect, useState } from "react";
import { Dialog } from "../design/dialog.tsx";
import { useTexts } from "../texts/texts.tsx";
import { isWritten } from "../design/field.tsx";

/** Lists the keyboard shortcuts once `?` is pressed. */
export default function Shortcuts(): ReactElement | null {
  const { shell } = useTexts();
  const [isOpen, setOpen] = useState(false);
  useEffect(() => {
    const onKey = (event: KeyboardEvent): void => {
      if (event.key !== "?" || event.ctrlKey || event.metaKey || isWritten(event.target)) return;
      // Not above a dialog; the page viewer does not count as one.
      if (document.querySelector("dialog.dialog[open]") !== null) return;
      event.preventDefault();
      setOpen(true);
    };
    addEventListener("keydown", onKey);
    return () => removeEventListener("keydown", onKey);
  }, []);
  if (!isOpen) return null;
  const { everywhere, onPage } = shell.shortcuts;
  return (
    <Dialog title={shell.shortcuts.title} onClose={() => setOpen(false)}>
      <Keys title={everywhere.title} keys={everywhere.keys} />
      <Keys title={onPage.title} keys={onPage.keys} />
    </Dialog>
  );
}

interface KeysProps {
  readonly title: string;
  /** Keys separated by spaces, with their actions. */
  readonly keys: readonly (readonly [keys: string, action: string])[];
}

function Keys({ title, keys }: KeysProps): ReactElement {
  return (
    <section className="shortcuts">
      <h3>{title}</h3>
      <dl>
        {keys.map(([names, action]) => (
          <div key={names}>
            <dt>
              {names.split(" ").map((name) => (
                <kbd key={name}>{name}</kbd>
              ))}
            </dt>
            <dd>{action}</dd>
          </div>
        ))}
      </dl>
    </section>
  );
}
