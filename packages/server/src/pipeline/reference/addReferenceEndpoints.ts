import { existsSync, readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { FastifyInstance } from 'fastify'
import { createFixedAnswer, sendFixedAnswer, type FixedAnswer } from '../answers/fixedAnswer.ts'
import type { Operation } from '../endpoint.ts'
import { jsonContentType, pageHeaders } from '../headers.ts'
import type { ListedRoute } from '../listRoutes.ts'
import { createOpenApiDocument, type DescribedRoute } from './createOpenApiDocument.ts'
import { llmsText } from './llmsText.ts'
import { listedPrefixes, overviewAnswer, overviewOperation } from './overview.ts'
import { referencePage, referenceScript, referenceStyle, themeScript } from './referencePage.ts'

/** The description of the interface, and a page to read and try it; one for all base paths. */
export interface Reference {
  addEndpoints(app: FastifyInstance): void
}

/**
 * @param list the routes of the server; those with an operation are described.
 * @param aliasPrefix routes under it repeat others, and are not described again.
 */
export function createReference(list: readonly ListedRoute[], aliasPrefix: string): Reference {
  const described = (): DescribedRoute[] =>
    list.flatMap(({ path, config: { operation } }) =>
      operation === undefined || path.startsWith(`${aliasPrefix}/`) ? [] : [{ path, operation }],
    )
  const files = remember(readPageFile)
  const openApi = remember(() =>
    createFixedAnswer(Buffer.from(JSON.stringify(createOpenApiDocument(described()))), {
      'content-type': jsonContentType,
    }),
  )
  const overviews = remember((prefix) =>
    remember((base) =>
      createFixedAnswer(Buffer.from(overviewAnswer(prefix, base, described())), {
        'content-type': jsonContentType,
      }),
    ),
  )
  const llms = remember(() =>
    createFixedAnswer(Buffer.from(llmsText), { 'content-type': 'text/plain; charset=utf-8' }),
  )
  const pages = remember((base) =>
    remember((home) =>
      createFixedAnswer(Buffer.from(referencePage(base, home === '' ? null : home)), htmlHeaders),
    ),
  )
  // Addresses in the page are relative, so that the page works behind a proxy that adds a path. If the page's own address
  // ends with a slash, relative addresses begin one level deeper.
  const page = (url: string): FixedAnswer => {
    const isDeeper = /\/(\?|$)/.test(url)
    const up = `${isDeeper ? '../' : './'}${url.startsWith(`${aliasPrefix}/`) ? '../' : ''}`
    const hasExplorer = list.some(({ path }) => path === '/')
    return pages(isDeeper ? './' : './docs/')(hasExplorer ? up : '')
  }

  return {
    addEndpoints: (app) => {
      addFixed(app, '/openapi.json', () => openApi(''))
      for (const prefix of listedPrefixes) {
        const answers = overviews(prefix)
        const answerOf = (url: string) => answers(url.startsWith(`${aliasPrefix}/`) ? aliasPrefix : '')
        addFixed(app, prefix, answerOf, overviewOperation(prefix))
      }
      addFixed(app, '/llms.txt', () => llms(''))
      addFixed(app, '/docs', page)
      for (const name of Object.keys(pageFiles)) addFixed(app, `/docs/${name}`, () => files(name))
    },
  }
}

function addFixed(
  app: FastifyInstance,
  url: string,
  answerOf: (url: string) => FixedAnswer,
  operation?: Operation,
): void {
  app.route({
    method: ['GET', 'HEAD'],
    url,
    config: operation === undefined ? {} : { operation },
    handler: (request, reply) => sendFixedAnswer(request, reply, answerOf(request.raw.url ?? '')),
  })
}

/**
 * All resources are local; images of the stylesheet are data URLs. Styles that scripts set on elements need no
 * permission.
 */
const htmlHeaders = pageHeaders(
  "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'",
)

/** The files of the page, by name, with their types. */
const pageFiles: Readonly<Record<string, string>> = {
  'swagger-ui.css': 'text/css; charset=utf-8',
  'swagger-ui-bundle.js': 'text/javascript; charset=utf-8',
  'favicon-32x32.png': 'image/png',
  'reference.css': 'text/css; charset=utf-8',
  'reference.js': 'text/javascript; charset=utf-8',
  'theme.js': 'text/javascript; charset=utf-8',
}

/** Those of the files that are our own. */
const ownFiles: Readonly<Record<string, string>> = {
  'reference.css': referenceStyle,
  'reference.js': referenceScript,
  'theme.js': themeScript,
}

/** The folder of the library's files. In an installed package they stand beside this module. */
function swaggerFolder(): string {
  const packaged = fileURLToPath(new URL('./swagger-ui', import.meta.url))
  return existsSync(packaged)
    ? packaged
    : join(dirname(createRequire(import.meta.url).resolve('@fastify/swagger-ui')), 'static')
}

function readPageFile(name: string): FixedAnswer {
  const own = ownFiles[name]
  const content = own === undefined ? readFileSync(join(swaggerFolder(), name)) : Buffer.from(own)
  return createFixedAnswer(content, { 'content-type': pageFiles[name] ?? 'application/octet-stream' })
}

function remember<Value>(make: (key: string) => Value): (key: string) => Value {
  const known = new Map<string, Value>()
  return (key) => {
    const value = known.get(key) ?? make(key)
    known.set(key, value)
    return value
  }
}
