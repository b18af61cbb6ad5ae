import { hash } from 'node:crypto'
import { createFixedAnswer, type FixedAnswer } from '../../pipeline/answers/fixedAnswer.ts'
import { pageHeaders } from '../../pipeline/headers.ts'

const style =
  ':root{color-scheme:light dark}body{font:16px/1.6 system-ui,sans-serif;margin:0;min-height:100vh;display:grid;place-items:center}' +
  'main{max-width:34rem;padding:1.5rem}h1{font-size:1.25rem;margin:0}'

/** The page in place of the explorer while it is built; it reloads itself until the explorer answers. */
export const buildingPage = standInPage(
  'The explorer is being built',
  '<p>This takes a few seconds, once after each change of the program. The page loads itself again.</p>',
  '<meta http-equiv="refresh" content="1">',
)

/** The page in place of an explorer that could not be built. */
export const missingPage = standInPage(
  'The explorer is not available',
  '<p>It could not be built; the log of the service says why. Everything it would show is served all the same: <a href="/docs">the interface and its reference</a>, <a href="/graphql">GraphQL</a>.</p>',
  '',
)

function standInPage(title: string, body: string, refresh: string): FixedAnswer {
  const html = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
${refresh}<title>${title} · Attestry</title>
<style>${style}</style>
</head>
<body><main><h1>${title}</h1>
${body}
</main></body>
</html>
`
  const policy = `default-src 'none'; style-src 'sha256-${hash('sha256', style, 'base64')}'`
  return createFixedAnswer(Buffer.from(html), { ...pageHeaders(policy), 'cache-control': 'no-store' })
}
