import { type ReactElement, useState } from "react";
import { Button, IconButton } from "../design/button.tsx";
import { Dialog } from "../design/dialog.tsx";
import { Field, Select, TextArea } from "../design/field.tsx";
import { useTexts } from "../texts/texts.tsx";
import { type DocumentDialogProps, EditForm, useUpdate } from "./edit-dialogs.tsx";
import { changeOf, type EditedField, fieldsOf, type Kind, kinds, problemsOf } from "./metadata-fields.ts";

export function MetadataDialog(props: DocumentDialogProps): ReactElement {
  const { documents } = useTexts();
  const { metadata } = props.dataset;
  const [fields, setFields] = useState(() => fieldsOf(metadata));
  const [isChecked, setChecked] = useState(false);
  const { mutate, error, isPending } = useUpdate(props);
  const problems = problemsOf(fields);
  const add = (): void => {
    const id = Math.max(-1, ...fields.map((field) => field.id)) + 1;
    setFields([...fields, { id, name: "", kind: "text", text: "" }]);
  };
  return (
    <Dialog title={documents.editMetadata} onClose={props.onClose}>
      <EditForm
        {...{ error, isPending, onClose: props.onClose }}
        onSave={() => {
          setChecked(true);
          if (problems.size === 0) mutate({ metadata: changeOf(metadata, fields) });
        }}
      >
        {fields.length === 0 && <p className="quiet">{documents.noMetadata}</p>}
        {fields.map((field) => (
          <FieldEditor
            key={field.id}
            field={field}
            problem={isChecked ? problems.get(field.id) : undefined}
            onChange={(changed) => setFields(fields.map((other) => (other.id === field.id ? changed : other)))}
            onRemove={() => setFields(fields.filter((other) => other.id !== field.id))}
          />
        ))}
        <div>
          <Button icon="plus" onClick={add}>
            {documents.addField}
          </Button>
        </div>
      </EditForm>
    </Dialog>
  );
}

interface FieldEditorProps {
  readonly field: EditedField;
  readonly problem: "nameless" | "twice" | "value" | undefined;
  readonly onChange: (field: EditedField) => void;
  readonly onRemove: () => void;
}

function FieldEditor({ field, problem, onChange, onRemove }: FieldEditorProps): ReactElement {
  const { documents } = useTexts();
  const nameProblems = { nameless: documents.fieldNameMissing, twice: documents.fieldNameTwice, value: undefined };
  return (
    <div className="metadata-editor">
      <Field
        label={documents.field}
        value={field.name}
        error={problem && nameProblems[problem]}
        autoComplete="off"
        onChange={({ target }) => onChange({ ...field, name: target.value })}
      />
      <Select
        label={documents.kind}
        value={field.kind}
        onChange={({ target }) => {
          const kind = kinds.find((candidate) => candidate === target.value) ?? "text";
          onChange({ ...field, kind, text: kind === "boolean" ? "true" : field.text });
        }}
      >
        {kinds.map((kind) => (
          <option key={kind} value={kind}>
            {documents.kinds[kind]}
          </option>
        ))}
      </Select>
      <ValueEditor
        {...field}
        error={problem === "value" ? documents.valueWrong : undefined}
        onText={(text) => onChange({ ...field, text })}
      />
      <IconButton icon="delete" label={documents.removeField} onClick={onRemove} />
    </div>
  );
}

interface ValueEditorProps {
  readonly kind: Kind;
  readonly text: string;
  readonly error: string | undefined;
  readonly onText: (text: string) => void;
}

const inputTypes = { text: "text", number: "text", date: "date" } as const;

function ValueEditor({ kind, text, error, onText }: ValueEditorProps): ReactElement {
  const { documents } = useTexts();
  const label = documents.value;
  if (kind === "boolean") {
    return (
      <Select label={label} value={text} onChange={({ target }) => onText(target.value)}>
        <option value="true">{documents.yes}</option>
        <option value="false">{documents.no}</option>
      </Select>
    );
  }
  if (kind === "texts" || kind === "numbers" || kind === "mixed") {
    return (
      <TextArea label={label} rows={3} value={text} error={error} onChange={({ target }) => onText(target.value)} />
    );
  }
  return (
    <Field
      label={label}
      type={inputTypes[kind]}
      inputMode={kind === "number" ? "decimal" : undefined}
      value={text}
      error={error}
      onChange={({ target }) => onText(target.value)}
    />
  );
}
