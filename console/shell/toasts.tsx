import { type ReactElement, useSyncExternalStore } from "react";
import { IconButton } from "../design/button.tsx";
import { FailureText, messageOf } from "../design/failure.tsx";
import { useTexts } from "../texts/texts.tsx";

interface Toast {
  readonly id: number;
  readonly text: string;
  /** The error that is shown instead of the text, in the chosen language. */
  readonly error?: unknown;
}

const shownMs = 8_000;
let toasts: readonly Toast[] = [];
let lastId = 0;
const listeners = new Set<() => void>();

/** Shows a short text for a moment, such as a confirmation. */
export function showToast(text: string): void {
  put({ text });
}

/** Shows an error for a moment. */
export function showFailure(error: unknown): void {
  put({ text: messageOf(error), error });
}

function put(said: Omit<Toast, "id">): void {
  lastId += 1;
  const id = lastId;
  change([...toasts.filter((toast) => toast.text !== said.text), { id, ...said }]);
  setTimeout(() => remove(id), shownMs);
}

function remove(id: number): void {
  change(toasts.filter((toast) => toast.id !== id));
}

function change(next: readonly Toast[]): void {
  toasts = next;
  for (const listener of listeners) listener();
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

/** Rendered once per page, and once in each modal dialog, which covers the toasts of the page. */
export function Toasts(): ReactElement {
  const { common } = useTexts();
  const shown = useSyncExternalStore(subscribe, () => toasts);
  return (
    <output className="toasts">
      {shown.map(({ id, text, error }) => (
        <div key={id} className="toast">
          <span>{error === undefined ? text : <FailureText error={error} />}</span>
          <IconButton icon="close" label={common.close} onClick={() => remove(id)} />
        </div>
      ))}
    </output>
  );
}
