/** The introduction of the reference, in Markdown. */
export const guide = `Large documents (pdf, docx, pptx, xlsx) go in, single pages come out: as pictures, as one-page PDFs and as
embeddings. Pages are found by number or by meaning, and handed on as links that expire by themselves.

### Authorise

Every request but that for a share link carries an API key in the header \`x-api-key\`. The first start of a server makes
one with every scope, and keeps it as \`apiKey\` in \`credentials.json\` in the data folder, which is \`~/.local/share/drs\`
unless it was named otherwise. Choose **Authorize**, enter the key under \`apiKey\`, and try out any request on this page.
More keys come from \`drs keys create\` or [from the interface](#/Workspaces%20and%20keys/createKey).

### In order of use

1. [Upload](#/Upload/vectorize) a document with \`POST /v1/vectorize\`. The answer is a job with the id of the new dataset.
2. [Watch the job](#/Jobs/watchJob) until its status is \`SUCCESS\` or \`ERROR\`, or [ask for it](#/Jobs/getJob) repeatedly.
3. [List the pages](#/Datasets%20and%20pages/listItems) of the dataset by number.
4. [Search](#/Search/search) all datasets by meaning.
5. Fetch a page by its [share link](#/Share%20links/readShare), which needs no key.
6. Documents over 100 MB come in parts, in an [upload session](#/Upload%20sessions/startUpload).

### Conventions

- Examples can be sent as they are. Ids and tokens with \`example\` in them are placeholders: the service answers such an id
  with 404 and such a token with 403, until one of yours stands in its place.
- Times are milliseconds since the epoch, UTC; sizes are bytes; pages count from 1.
- A field or parameter that a request does not have is refused with 400. Only share links pass over what they do not know.
- Every answer has a header \`x-request-id\`, by which the log of the server finds the request.
`;
