import { type ReactElement, useEffect, useRef } from "react";
import { useLocation, useSearchParams } from "wouter";
import { Icon } from "../design/icon.tsx";
import { useTexts } from "../texts/texts.tsx";

/** Asks wherever one is; `/` leads to it. */
export function SearchField(): ReactElement {
  const { search } = useTexts();
  const [, navigate] = useLocation();
  const [parameters] = useSearchParams();
  const input = useRef<HTMLInputElement>(null);
  useFocusBySlash(input);
  const asked = parameters.get("q") ?? "";
  return (
    <search>
      <form
        className="search-field"
        onSubmit={(event) => {
          event.preventDefault();
          const words = input.current?.value.trim() ?? "";
          if (words !== "") navigate(`/search?${new URLSearchParams({ q: words }).toString()}`);
        }}
      >
        <Icon name="search" />
        <input
          ref={input}
          key={asked}
          className="search-input"
          type="search"
          name="q"
          defaultValue={asked}
          placeholder={search.placeholder}
          aria-label={search.placeholder}
          autoComplete="off"
          enterKeyHint="search"
        />
        <kbd aria-hidden="true">/</kbd>
      </form>
    </search>
  );
}

/** Not while something is being written. */
function useFocusBySlash(input: { readonly current: HTMLInputElement | null }): void {
  useEffect(() => {
    const onKey = (event: KeyboardEvent): void => {
      const { target } = event;
      const isWriting =
        target instanceof HTMLElement &&
        (target.isContentEditable || /^(?:INPUT|TEXTAREA|SELECT)$/.test(target.tagName));
      if (event.key !== "/" || isWriting || event.ctrlKey || event.metaKey || event.altKey) return;
      event.preventDefault();
      input.current?.focus();
      input.current?.select();
    };
    addEventListener("keydown", onKey);
    return () => removeEventListener("keydown", onKey);
  }, [input]);
}
