import { type ReactElement, useEffect, useRef, useState } from "react";
import { useLocation, useSearchParams } from "wouter";
import { IconButton } from "../design/button.tsx";
import { Icon } from "../design/icon.tsx";
import { isWritten } from "../shell/is-written.ts";
import { showToast } from "../shell/toasts.tsx";
import { useTexts } from "../texts/texts.tsx";
import { keepPicture } from "./pictures.ts";
import { AskedPicture } from "./asked-picture.tsx";
import { addressOf, type Question, readQuestion } from "./question.ts";

/** The search field of every view: for words, a picture that is pasted, dropped or chosen, or both. `/` focuses it. */
export function SearchField(): ReactElement {
  const { search } = useTexts();
  const [, navigate] = useLocation();
  const [parameters] = useSearchParams();
  const question = readQuestion(parameters);
  const input = useRef<HTMLInputElement>(null);
  const chooser = useRef<HTMLInputElement>(null);
  const [isOver, setOver] = useState(false);
  useFocusBySlash(input);

  const ask = (changed: Partial<Question>): void => {
    const words = input.current?.value.trim() ?? "";
    const asked = addressOf({ ...question, words, ...changed });
    navigate(asked);
  };
  const askWith = async (files: FileList | null | undefined): Promise<boolean> => {
    const file = [...(files ?? [])].find(({ type }) => type.startsWith("image/"));
    if (file === undefined) return false;
    try {
      ask({ pictureId: await keepPicture(file), like: undefined });
    } catch {
      showToast(search.pictureUnreadable);
    }
    return true;
  };

  return (
    <search>
      {/* oxlint-disable-next-line jsx-a11y/no-noninteractive-element-interactions -- the button in it chooses a picture too */}
      <form
        className={isOver ? "search-field search-field-over" : "search-field"}
        onSubmit={(event) => {
          event.preventDefault();
          ask({});
        }}
        onPaste={({ clipboardData }) => void askWith(clipboardData.files)}
        onDragOver={(event) => {
          event.preventDefault();
          setOver(true);
        }}
        onDragLeave={() => setOver(false)}
        onDrop={(event) => {
          event.preventDefault();
          setOver(false);
          void askWith(event.dataTransfer.files).then((isPicture) => {
            if (!isPicture) showToast(search.pictureUnreadable);
          });
        }}
      >
        <Icon name="search" />
        <AskedPicture question={question} onRemove={() => ask({ pictureId: undefined, like: undefined })} />
        <input
          ref={input}
          key={question.words}
          className="search-input"
          type="search"
          name="q"
          defaultValue={question.words}
          placeholder={search.placeholder}
          aria-label={search.placeholder}
          autoComplete="off"
          enterKeyHint="search"
        />
        <IconButton icon="picture" label={search.choosePicture} onClick={() => chooser.current?.click()} />
        <input
          ref={chooser}
          type="file"
          accept="image/*"
          hidden
          aria-label={search.choosePicture}
          onChange={({ currentTarget }) => {
            void askWith(currentTarget.files).then(() => {
              currentTarget.value = "";
            });
          }}
        />
        <kbd aria-hidden="true">/</kbd>
      </form>
    </search>
  );
}

/** Focuses the field on `/`, unless the person is typing or a dialog is open. */
function useFocusBySlash(input: { readonly current: HTMLInputElement | null }): void {
  useEffect(() => {
    const onKey = (event: KeyboardEvent): void => {
      if (event.key !== "/" || event.ctrlKey || event.metaKey || event.altKey || isWritten(event.target)) return;
      if (document.querySelector("dialog[open]") !== null) return;
      event.preventDefault();
      input.current?.focus();
      input.current?.select();
    };
    addEventListener("keydown", onKey);
    return () => removeEventListener("keydown", onKey);
  }, [input]);
}
