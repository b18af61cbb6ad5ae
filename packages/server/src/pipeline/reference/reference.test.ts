import { runInNewContext } from 'node:vm'
import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { brotliDecompressSync } from 'node:zlib'
import type { TSchema } from 'typebox'
import { Value } from 'typebox/value'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { createServer } from '../../testing/createServer.ts'
import { openAccess } from '@attestry/host/config/accessRules.ts'
import { openTestIndex } from '../testing/testIndex.ts'
import { createSampleIndex } from '../testing/sampleIndex.ts'

interface Operation {
  readonly operationId: string
  readonly description: string
  readonly requestBody?: { readonly content: Readonly<Record<string, Media>> }
  readonly parameters?: readonly {
    readonly name: string
    readonly in: string
    readonly schema: TSchema
    readonly example?: unknown
    readonly examples?: { readonly sample: { readonly value: unknown } }
  }[]
  readonly responses: Readonly<Record<string, { readonly content?: Readonly<Record<string, Media>> }>>
}

interface Media {
  readonly schema: TSchema
  readonly examples: { readonly sample: { readonly value: unknown } }
}

interface OpenApi {
  readonly openapi: string
  readonly servers: readonly { readonly url: string }[]
  readonly info: { readonly version: string }
  readonly paths: Readonly<Record<string, Readonly<Partial<Record<'get' | 'post', Operation>>>>>
  readonly components: { readonly schemas: Readonly<Record<string, object>> }
}

const index = createSampleIndex()
const app = createServer({ reader: openTestIndex(index) })
let document: OpenApi

beforeAll(async () => {
  document = (await app.inject('/openapi.json')).json<OpenApi>()
})
afterAll(() => app.close())

describe.each(['', '/api'])('the path of a prefix itself, at the base %j', (base) => {
  test.each(['/scan', '/index', '/scan/'])('lists what stands under it: %s', async (path) => {
    const response = await app.inject(`${base}${path}`)
    expect(response.statusCode).toBe(200)
    const { success, data } = response.json<{
      success: boolean
      data: { documentation: string; openapi: string; paths: { method: string; path: string }[] }
    }>()
    expect(success).toBe(true)
    expect([data.documentation, data.openapi]).toEqual([`${base}/docs`, `${base}/openapi.json`])
    const prefix = path.replace(/\/$/, '')
    const described = Object.keys(document.paths).filter((each) => each.startsWith(`${prefix}/`))
    expect(described.length).toBeGreaterThan(3)
    expect(data.paths.map((each) => each.path)).toEqual(described.map((each) => base + each).toSorted())
  })
})

/** A schema with the components that it refers to. */
function whole(schema: object): TSchema {
  return JSON.parse(JSON.stringify(schema), (_key, value: unknown) => {
    if (typeof value !== 'object' || value === null || !('$ref' in value)) return value
    return whole(document.components.schemas[String(value.$ref).split('/').at(-1) ?? ''] ?? {})
  }) as TSchema
}

/** Every operation of the document: one for each path, whose method is GET or POST. */
function operations(): readonly { readonly path: string; readonly operation: Operation }[] {
  return Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.values(methods).map((operation) => ({ path, operation })),
  )
}

describe('the OpenAPI document', () => {
  test('is named by llms.txt, whose links all work', async () => {
    const { headers, body } = await app.inject('/llms.txt')
    expect(headers['content-type']).toBe('text/plain; charset=utf-8')
    const links = [...body.matchAll(/\]\((\/[^)]*)\)/g)].map(([, link = '']) => link)
    const statuses = await Promise.all(
      links.map(
        async (link) => (await app.inject({ url: link, headers: { accept: 'text/html' } })).statusCode,
      ),
    )
    expect(links).toContain('/openapi.json')
    expect(statuses).toEqual(links.map(() => 200))
  })

  test('is the same under every base, and names servers relative to itself', async () => {
    expect((await app.inject('/api/openapi.json')).json()).toEqual(document)
    expect(document.openapi).toMatch(/^3\.1\./)
    expect(document.servers.map(({ url }) => url)).toEqual(['/', '/api'])
  })

  test('describes every path of the interface', () => {
    const described = Object.keys(document.paths)
    expect(described.filter((path) => path.startsWith('/api/'))).toEqual([])
    for (const path of publishedPaths) expect(described).toContain(path)
  })

  test('names every parameter of a path, with a description and the status it fails with', () => {
    for (const { path, operation } of operations()) {
      const named = (operation.parameters ?? []).filter((parameter) => parameter.in === 'path')
      const expected = [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name)
      expect(named.map(({ name }) => name)).toEqual(expected)
      const statuses = ['200', '400', '408', '414', '429', '431', '500', '503']
      if (expected.length > 0) statuses.push('404')
      if (operation.requestBody !== undefined) statuses.push('413', '415')
      expect(Object.keys(operation.responses)).toEqual(expect.arrayContaining(statuses))
    }
  })

  test('has examples that its own schemas take', () => {
    for (const { operation } of operations()) {
      for (const { schema, example, examples } of operation.parameters ?? []) {
        const sample = example ?? examples?.sample.value
        expect(sample === undefined ? [] : [...Value.Errors(schema, sample)]).toEqual([])
      }
      const { requestBody, responses } = operation
      const media = [requestBody?.content, responses['200']?.content].flatMap((each) =>
        Object.values(each ?? {}),
      )
      for (const { schema, examples } of media) {
        expect([...Value.Errors(whole(schema), examples.sample.value)]).toEqual([])
      }
    }
  })

  test('names the types of records, of their pages and steps, and describes each operation', () => {
    expect(Object.keys(document.components.schemas)).toEqual(
      expect.arrayContaining([
        'Attestation',
        'AttestationDetail',
        'Schema',
        'SchemaDetail',
        'Agent',
        'Feedback',
        'Verdict',
        'PageAttestation',
        'StepSchema',
        'PageFeedback',
      ]),
    )
    const { schema } =
      document.paths['/scan/schemas']?.get?.responses['200']?.content?.['application/json'] ?? {}
    expect(schema).toMatchObject({
      properties: {
        data: {
          anyOf: [{ $ref: '#/components/schemas/PageSchema' }, { $ref: '#/components/schemas/StepSchema' }],
        },
      },
    })
    for (const { operation } of operations()) expect(operation.description).toMatch(/^[A-Z].*\.$/)
    expect(document.info.version).toMatch(/^\d+\.\d+\.\d+/)
  })

  test('has records of this index as examples, unless they are private', async () => {
    const { sample } = document.paths['/scan/attestations/{id}']?.get?.parameters?.[0]?.examples ?? {}
    expect((await app.inject(`/scan/attestations/${String(sample?.value)}`)).statusCode).toBe(200)
    const media = document.paths['/scan/attestations/{id}']?.get?.responses['200']?.content ?? {}
    expect(media['application/json']?.examples.sample.value).toMatchObject({ data: { id: sample?.value } })
    const closed = createServer({
      reader: openTestIndex(index),
      access: { ...openAccess, private: { scan: ['/scan'] } },
    })
    const { body } = await closed.inject('/openapi.json')
    expect(body.includes(JSON.stringify(sample?.value))).toBe(false)
    await closed.close()
  })

  test('keeps operation ids apart', () => {
    const ids = operations().map(({ operation }) => operation.operationId)
    expect(new Set(ids).size).toBe(ids.length)
  })
})

interface Shown {
  readonly paths: Readonly<
    Record<string, Record<string, { readonly parameters?: NonNullable<Operation['parameters']> }>>
  >
}

describe('the reference page', () => {
  test.each(['/docs', '/docs/', '/api/docs', '/api/docs/?x'])(
    '%s loads nothing but files that this server has',
    async (url) => {
      const response = await app.inject(url)
      expect(response.headers['content-type']).toBe('text/html; charset=utf-8')
      const references = [...response.body.matchAll(/(?:src|href|data-document)="([^"]+)"/g)].map(
        ([, reference = '']) => new URL(reference, `http://host.example${url}`),
      )
      expect(references.length).toBeGreaterThanOrEqual(5)
      for (const { host, pathname } of references) {
        expect(host).toBe('host.example')
        expect((await app.inject(pathname)).statusCode).toBe(200)
      }
    },
  )

  test('runs only its own scripts, and refuses to be framed', async () => {
    const { headers, body } = await app.inject('/docs')
    const policy = `${headers['content-security-policy']}`
    expect(policy).toMatch(/^default-src 'none'; script-src 'self';/)
    expect(policy).toContain("frame-ancestors 'none'")
    expect(policy).not.toMatch(/unsafe|https?:|\*/)
    expect(headers).toMatchObject({ 'x-content-type-options': 'nosniff', 'referrer-policy': 'no-referrer' })
    expect(body).not.toMatch(/<script>|<style>| on\w+=| style=/)
  })

  test.each([
    ['/openapi.json', 'onchain_evm_11155111_0x'],
    ['/api/openapi.json', 'onchain_evm_11155111_0x'],
  ])('names records of this index as examples: %s', async (document, beginning) => {
    const { body } = await app.inject('/docs/reference.js')
    const shown = await new Promise<Shown>((resolve) => {
      const bundle = Object.assign((options: { spec: Shown }) => resolve(options.spec), { presets: {} })
      runInNewContext(body, {
        URL,
        Promise,
        location: { href: 'http://host.example/docs' },
        document: { getElementById: () => ({ dataset: { document } }) },
        fetch: async (url: URL) => await app.inject(url.pathname),
        SwaggerUIBundle: bundle,
      })
    })
    const exampleOf = (path: string, parameter: string) =>
      shown.paths[path]?.['get']?.parameters?.find(({ name }) => name === parameter)?.examples?.sample.value
    const schema = String(exampleOf('/scan/schemas/{id}', 'id'))
    const attestation = String(exampleOf('/scan/attestations/{id}', 'id'))
    expect([schema.startsWith(beginning), attestation.startsWith(beginning)]).toEqual([true, true])
    for (const url of [`/scan/schemas/${schema}`, `/scan/attestations/${attestation}`]) {
      expect((await app.inject(url)).statusCode).toBe(200)
    }
    expect(exampleOf('/scan/agents/{id}', 'id')).toMatch(/^eip155:/)
  })

  test.each([
    ['dark', false, true],
    ['light', true, false],
    [null, true, true],
    [null, false, false],
  ])(
    'with the theme %s chosen, on a system that is dark: %s, is dark: %s',
    async (theme, isDark, expected) => {
      const { body } = await app.inject('/docs/theme.js')
      const toggle = vi.fn<(name: string, isOn: boolean) => void>()
      runInNewContext(body, {
        matchMedia: () => ({ matches: isDark, addEventListener: () => undefined }),
        addEventListener: () => undefined,
        localStorage: { getItem: () => theme },
        document: { documentElement: { classList: { toggle } } },
      })
      expect(toggle).toHaveBeenCalledWith('dark-mode', expected)
      const { body: style } = await app.inject('/docs/swagger-ui.css')
      expect(style).toContain('html.dark-mode .swagger-ui{')
    },
  )

  test('asks no service to judge the document', async () => {
    expect((await app.inject('/docs/reference.js')).body).toContain('validatorUrl: null')
  })

  test('sends its scripts compressed, and not again while they hold', async () => {
    const url = '/docs/swagger-ui-bundle.js'
    const folder = join(dirname(createRequire(import.meta.url).resolve('@fastify/swagger-ui')), 'static')
    const response = await app.inject({ url, headers: { 'accept-encoding': 'br' } })
    expect(response.headers['content-encoding']).toBe('br')
    expect(
      brotliDecompressSync(response.rawPayload).equals(readFileSync(join(folder, 'swagger-ui-bundle.js'))),
    ).toBe(true)
    const again = await app.inject({ url, headers: { 'if-none-match': `${response.headers.etag}` } })
    expect(again.statusCode).toBe(304)
    expect(again.rawPayload).toHaveLength(0)
  })
})

const publishedPaths = [
  '/scan/search',
  '/scan/top-schemas',
  '/scan/trending-schemas',
  '/scan/latest-attestations',
  '/scan/schemas',
  '/scan/schemas/{id}',
  '/scan/attestations',
  '/scan/attestations/{id}',
  '/scan/attestations/status',
  '/scan/holders',
  '/scan/addresses/{address}/statistics',
  '/scan/addresses/{address}/schemas',
  '/scan/addresses/{address}/attestations',
  '/healthz',
  '/readyz',
]
