/**
 * The script of the reference page, as the browser gets it.
 * - Requests go to the server that the page came from: by another of its names the browser would not send them.
 * - Optional fields of a form begin empty, and what is empty is left out: of `file` and `url` an upload takes one.
 * - There is no validator badge: it would ask a server on the internet.
 */
export const docsStart = `const ownServer = () => ({
  statePlugins: {
    spec: {
      wrapActions: {
        updateJsonSpec: (update) => (document) => update({ ...document, servers: [{ url: location.origin }] }),
      },
    },
  },
});

const emptyForms = () => ({
  wrapComponents: {
    JsonSchemaForm: (Original, { React }) =>
      function FormField(props) {
        const { dispatchInitialValue, required, schema, onChange } = props;
        React.useEffect(() => {
          if (dispatchInitialValue && !required) onChange(schema.get("type") === "array" ? [] : "");
        }, []);
        return React.createElement(Original, { ...props, dispatchInitialValue: dispatchInitialValue && required });
      },
    ParameterIncludeEmpty: () => () => null,
  },
});

SwaggerUIBundle({
  url: "/v1/openapi.json",
  dom_id: "#reference",
  deepLinking: true,
  validatorUrl: null,
  defaultModelsExpandDepth: 0,
  displayRequestDuration: true,
  plugins: [ownServer, emptyForms],
});
`;
