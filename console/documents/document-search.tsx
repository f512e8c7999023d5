import type { ReactElement } from "react";
import { useLocation } from "wouter";
import { Button } from "../design/button.tsx";
import { textOf } from "../design/form-dialog.tsx";
import { addressOf, emptyQuestion } from "../search/question.ts";
import { useTexts } from "../texts/texts.tsx";

/** Searches only this document. The answer is shown on the search page. */
export function DocumentSearch({ datasetId }: { readonly datasetId: string }): ReactElement {
  const { documents, search } = useTexts();
  const [, navigate] = useLocation();
  return (
    <search>
      <form
        className="document-search"
        onSubmit={(event) => {
          event.preventDefault();
          const words = textOf(new FormData(event.currentTarget), "words");
          if (words !== "") navigate(addressOf({ ...emptyQuestion, words, datasetIds: [datasetId] }));
        }}
      >
        <input
          className="input"
          type="search"
          name="words"
          placeholder={documents.searchIn}
          aria-label={documents.searchIn}
          autoComplete="off"
          enterKeyHint="search"
        />
        <Button type="submit" icon="search">
          {search.area}
        </Button>
      </form>
    </search>
  );
}
