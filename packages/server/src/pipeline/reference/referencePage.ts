/** The reference page: Swagger UI over our own OpenAPI document, with nothing from any other host. */

/**
 * @param base where the page's files are, relative to the page.
 * @param root the root of the server, relative to the page.
 * @param has whether the server has the explorer and the guide.
 */
export function referencePage(
  base: string,
  root: string,
  has: { readonly explorer: boolean; readonly guide: boolean },
): string {
  const back = has.explorer ? `<a href="${root}"><strong>Attestry</strong></a>\n` : ''
  const guide = has.guide ? `<a href="${root}guide">Guide</a>\n` : ''
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Attestry: reference of the interface</title>
<link rel="icon" href="${base}favicon-32x32.png">
<link rel="stylesheet" href="${base}swagger-ui.css">
<link rel="stylesheet" href="${base}reference.css">
<script src="${base}theme.js"></script>
</head>
<body>
<nav class="attestry" aria-label="Attestry">
${back}${guide}<a href="${base}../openapi.json">OpenAPI</a>
<a href="${base}../llms.txt">For agents</a>
</nav>
<div id="reference" data-document="${base}../openapi.json"></div>
<noscript>This page needs JavaScript; the document that it shows is <a href="${base}../openapi.json">openapi.json</a>.</noscript>
<script src="${base}swagger-ui-bundle.js"></script>
<script src="${base}reference.js"></script>
</body>
</html>
`
}

/**
 * The theme that was chosen in the explorer, or that of the system: Swagger UI is dark by a class of the root, and the
 * guide has one for each theme. Runs before the first paint.
 */
export const themeScript = `'use strict'
const system = matchMedia('(prefers-color-scheme: dark)')
const apply = () => {
  let theme = null
  try {
    theme = localStorage.getItem('attestry.theme')
  } catch {
    // Storage may be forbidden; then the theme is the system's.
  }
  const isDark = theme === 'dark' || (theme !== 'light' && system.matches)
  document.documentElement.classList.toggle('dark-mode', isDark)
  document.documentElement.classList.toggle('light-mode', !isDark)
}
system.addEventListener('change', apply)
addEventListener('storage', apply)
apply()
`

/** The bar above the reference, which leads back to the explorer. */
export const referenceStyle = `body {
  margin: 0;
}

.attestry {
  display: flex;
  gap: 1.5rem;
  align-items: baseline;
  padding: 0.875rem 1.25rem;
  border-bottom: 1px solid rgb(128 128 128 / 0.35);
  font: 0.875rem/1.5 sans-serif;
}

.attestry a {
  color: #3443ae;
}

.dark-mode .attestry a {
  color: #b4beff;
}
`

/**
 * The page's own script. A `validatorUrl` would send the document's address to a service of Swagger's. Requests are
 * tried against the server of the page, under the page's base path.
 */
export const referenceScript = `'use strict'
const element = document.getElementById('reference')
const url = new URL(element.dataset.document, location.href)
const base = url.pathname.replace(/\\/openapi\\.json$/, '')
const read = (address) => fetch(address).then((response) => response.json())
read(url)
  .then((spec) => {
    spec.servers = [{ url: base === '' ? '/' : base }]
    for (const operations of Object.values(spec.paths)) {
      for (const parameter of Object.values(operations).flatMap(({ parameters = [] }) => parameters)) {
        // Optional parameters stay empty: examples of all filters together would find nothing.
        if (!parameter.required) delete parameter.example
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
