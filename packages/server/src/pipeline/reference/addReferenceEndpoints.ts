import { existsSync, readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { FastifyInstance } from 'fastify'
import { everyAttestation } from '@attestry/core/index/indexQueries.ts'
import type { IndexReader } from '@attestry/core/index/indexReader.ts'
import type { StoredAttestation } from '@attestry/core/index/storedRecords.ts'
import { readVersion } from '@attestry/host/readVersion.ts'
import { createFixedAnswer, sendFixedAnswer, type FixedAnswer } from '../answers/fixedAnswer.ts'
import type { Operation } from '../endpoint.ts'
import { jsonContentType, pageHeaders } from '../headers.ts'
import type { ListedRoute } from '../listRoutes.ts'
import { createOpenApiDocument, type DescribedRoute } from './createOpenApiDocument.ts'
import { noSample, sampleOfRecord } from './exampleOf.ts'
import { addManifest, aiCatalog, aiCatalogType, skillIndex, skillPath } from './agentManifests.ts'
import { llmsText, skillText } from './agentTexts.ts'
import { listedPrefixes, overviewAnswer, overviewOperation } from './overview.ts'
import { referencePage, referenceScript, referenceStyle, themeScript } from './referencePage.ts'

/** The description of the interface, and a page to read and try it; one for all base paths. */
export interface Reference {
  addEndpoints(app: FastifyInstance): void
  /** Adds the paths that only the root has: those by which agents find the server. */
  addRootEndpoints(app: FastifyInstance): void
}

/**
 * @param reader has the record of the examples; null if records are private.
 * @param list the routes of the server; those with an operation are described.
 * @param aliasPrefix routes under it repeat others, and are not described again.
 */
export function createReference(
  reader: Pick<IndexReader, 'sliceAttestations'> | null,
  list: readonly ListedRoute[],
  aliasPrefix: string,
): Reference {
  const described = (): DescribedRoute[] =>
    list.flatMap(({ path, config: { operation } }) =>
      operation === undefined || path.startsWith(`${aliasPrefix}/`) ? [] : [{ path, operation }],
    )
  const hasRoute = (wanted: string) => list.some(({ path }) => path === wanted)
  const files = remember(readPageFile)
  let openApi: FixedAnswer | null = null
  /** The examples are of the oldest record, which stays as it is while the index grows. */
  const readOpenApi = async (): Promise<FixedAnswer> => {
    if (openApi !== null) return openApi
    const oldest = reader && (await findOldest(reader))
    const sample = oldest === null ? noSample : sampleOfRecord(oldest)
    const document = createOpenApiDocument(described(), readVersion(), sample)
    const answer = createFixedAnswer(Buffer.from(JSON.stringify(document)), {
      'content-type': jsonContentType,
    })
    if (oldest !== null) openApi = answer
    return answer
  }
  const overviews = remember((prefix) =>
    remember((base) =>
      createFixedAnswer(Buffer.from(overviewAnswer(prefix, base, described())), {
        'content-type': jsonContentType,
      }),
    ),
  )
  const llms = remember(() =>
    createFixedAnswer(Buffer.from(llmsText(described(), hasRoute('/guide'))), {
      'content-type': 'text/plain; charset=utf-8',
    }),
  )
  const skillAnswer = remember(() =>
    createFixedAnswer(Buffer.from(skillText(described())), {
      'content-type': 'text/markdown; charset=utf-8',
    }),
  )
  const skills = remember(() =>
    createFixedAnswer(Buffer.from(JSON.stringify(skillIndex(skillText(described())))), {
      'content-type': jsonContentType,
    }),
  )
  const pages = remember((base) =>
    remember((root) => {
      const has = { explorer: hasRoute('/'), guide: hasRoute('/guide') }
      return createFixedAnswer(Buffer.from(referencePage(base, root, has)), htmlHeaders)
    }),
  )
  // Addresses in the page are relative, so that the page works behind a proxy that adds a path. If the page's own address
  // ends with a slash, relative addresses begin one level deeper.
  const page = (url: string): FixedAnswer => {
    const isDeeper = /\/(\?|$)/.test(url)
    const up = `${isDeeper ? '../' : './'}${url.startsWith(`${aliasPrefix}/`) ? '../' : ''}`
    return pages(isDeeper ? './' : './docs/')(up)
  }

  return {
    addEndpoints: (app) => {
      addFixed(app, '/openapi.json', readOpenApi)
      for (const prefix of listedPrefixes) {
        const answers = overviews(prefix)
        const answerOf = (url: string) => answers(url.startsWith(`${aliasPrefix}/`) ? aliasPrefix : '')
        addFixed(app, prefix, answerOf, overviewOperation(prefix))
      }
      addFixed(app, '/llms.txt', () => llms(''))
      addFixed(app, '/docs', page)
      for (const name of Object.keys(pageFiles)) addFixed(app, `/docs/${name}`, () => files(name))
    },
    addRootEndpoints: (app) => {
      addFixed(app, skillPath, () => skillAnswer(''))
      addFixed(app, '/.well-known/agent-skills/index.json', () => skills(''))
      addManifest(app, '/.well-known/ai-catalog.json', aiCatalogType, (origin) =>
        aiCatalog(origin, hasRoute('/mcp')),
      )
    },
  }
}

/** Finds the record of the examples; null if the index is empty or cannot be read. */
async function findOldest(reader: Pick<IndexReader, 'sliceAttestations'>): Promise<StoredAttestation | null> {
  const request = { filter: everyAttestation, order: 'oldestFirst', after: null, limit: 1 } as const
  try {
    const { rows } = await reader.sliceAttestations(request, { detail: true, schema: true })
    return rows[0] ?? null
  } catch {
    return null
  }
}

function addFixed(
  app: FastifyInstance,
  url: string,
  answerOf: (url: string) => FixedAnswer | Promise<FixedAnswer>,
  operation?: Operation,
): void {
  app.route({
    method: ['GET', 'HEAD'],
    url,
    config: operation === undefined ? {} : { operation },
    handler: async (request, reply) => sendFixedAnswer(request, reply, await answerOf(request.raw.url ?? '')),
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
