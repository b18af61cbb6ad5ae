/** The reference page: Swagger UI over our own OpenAPI document, with nothing from any other host. */

/** @param base where the page's files are, relative to the page. */
export function referencePage(base: string): string {
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Attestry: reference of the interface</title>
<link rel="icon" href="${base}favicon-32x32.png">
<link rel="stylesheet" href="${base}swagger-ui.css">
</head>
<body>
<div id="reference" data-document="${base}../openapi.json"></div>
<noscript>This page needs JavaScript; the document that it shows is <a href="${base}../openapi.json">openapi.json</a>.</noscript>
<script src="${base}swagger-ui-bundle.js"></script>
<script src="${base}reference.js"></script>
</body>
</html>
`
}

/**
 * The page's own script. A `validatorUrl` would send the document's address to a service of Swagger's. Requests are
 * tried against the server of the page, under the page's base path.
 */
export const referenceScript = `'use strict'
const element = document.getElementById('reference')
const url = new URL(element.dataset.document, location.href)
const base = url.pathname.replace(/\\/openapi\\.json$/, '')
const read = (address) => fetch(address).then((response) => response.json())
// Examples are records of this index, where it has some.
const newest = read(new URL('scan/latest-attestations', url)).then(
  ({ data }) => data.rows[0],
  () => undefined,
)
const exampleOf = (path, name, record) => {
  const id = /\\/schemas/.test(path) ? record.schema.id : record.id
  const account = { address: record.attester, attester: record.attester, chainId: record.chainId }
  return { id, ids: id, schemaId: record.schema.id, ...account }[name]
}
Promise.all([read(url), newest])
  .then(([spec, record]) => {
    spec.servers = [{ url: base === '' ? '/' : base }]
    for (const [path, operations] of Object.entries(record === undefined ? {} : spec.paths)) {
      for (const parameter of Object.values(operations).flatMap(({ parameters = [] }) => parameters)) {
        // What need not be there stays empty: an example of each filter at once finds nothing.
        const own = /\\/agents|\\/offchain|\\/index/.test(path) ? undefined : exampleOf(path, parameter.name, record)
        if (parameter.required && own === undefined) continue
        delete parameter.examples
        delete parameter.schema?.examples
        if (parameter.required) parameter.example = own
      }
    }
    SwaggerUIBundle({
      spec,
      domNode: element,
      deepLinking: true,
      displayRequestDuration: true,
      tryItOutEnabled: true,
      validatorUrl: null,
      presets: [SwaggerUIBundle.presets.apis],
    })
  })
`
