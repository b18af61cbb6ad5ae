import { hash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { Type } from 'typebox'
import { Check } from 'typebox/schema'
import { afterAll, expect, test } from 'vitest'
import { createServer } from '../../testing/createServer.ts'
import { createTestJournal } from '../testing/createTestJournal.ts'
import { createSampleIndex } from '../testing/sampleIndex.ts'
import { openTestIndex } from '../testing/testIndex.ts'
import { registryManifest } from './agentManifests.ts'

const root = join(import.meta.dirname, '../../../../..')
const mcp = { verifyProof: () => Promise.resolve([]) }
const journal = createTestJournal()
const app = createServer({ reader: openTestIndex(createSampleIndex()), mcp, journal })
const withoutMcp = createServer({ reader: openTestIndex(createSampleIndex()) })
afterAll(async () => {
  await Promise.all([app.close(), withoutMcp.close()])
  await journal.close()
})

/** https://agentskills.io/specification: the frontmatter. */
const name = /^(?!-)(?!.*--)[a-z0-9-]{1,64}(?<!-)$/

/** A text of 1 to `lengthMax` characters. */
const text = (lengthMax: number) => Type.String({ minLength: 1, maxLength: lengthMax })
const url = Type.String({ pattern: '^https?://[^\\s]+$' })

/** https://ai-catalog.io/spec, "CDDL Schema": an entry has either a URL or its data. */
const catalogSchema = Type.Object({
  specVersion: Type.String({ pattern: '^[0-9]+\\.[0-9]+$' }),
  host: Type.Object({ displayName: text(100), identifier: text(255), documentationUrl: url }),
  entries: Type.Array(
    Type.Object(
      {
        identifier: Type.String({ pattern: '^urn:air:[^:]+:[a-z]+:[a-z0-9-]+$' }),
        displayName: text(100),
        description: Type.Optional(text(1024)),
        type: Type.String({ pattern: '^application/[a-z0-9.+-]+' }),
        url,
        version: Type.Optional(text(255)),
      },
      { additionalProperties: false },
    ),
  ),
})

/** Members of both the card of a server (schema v2) and the manifest for the registry (schema 2025-12-11). */
const identity = {
  $schema: url,
  name: Type.String({ pattern: '^[a-zA-Z0-9.-]+/[a-zA-Z0-9._-]+$', minLength: 3, maxLength: 200 }),
  title: text(100),
  description: text(100),
  version: text(255),
  websiteUrl: url,
  repository: Type.Object({ url, source: text(20) }, { additionalProperties: false }),
}
const remote = (further: object) =>
  Type.Array(
    Type.Object({ type: Type.Literal('streamable-http'), url, ...further }, { additionalProperties: false }),
  )
const input = { description: Type.Optional(text(500)), isRequired: Type.Optional(Type.Boolean()) }
const cardSchema = Type.Object({ ...identity, remotes: remote({}) }, { additionalProperties: false })
const manifestSchema = Type.Object(
  {
    ...identity,
    remotes: remote({ variables: Type.Record(Type.String(), Type.Object(input)) }),
    packages: Type.Array(
      Type.Object(
        {
          registryType: Type.Literal('npm'),
          identifier: text(200),
          version: Type.String({ pattern: '^[0-9]+\\.[0-9]+\\.[0-9]+' }),
          transport: Type.Object({ type: Type.Literal('stdio') }),
          packageArguments: Type.Array(
            Type.Union([
              Type.Object(
                { type: Type.Literal('positional'), value: text(100) },
                { additionalProperties: false },
              ),
              Type.Object(
                { type: Type.Literal('named'), name: text(100), format: Type.Literal('filepath'), ...input },
                { additionalProperties: false },
              ),
            ]),
          ),
        },
        { additionalProperties: false },
      ),
    ),
  },
  { additionalProperties: false },
)

test('the skill of the repository is the one that a server gives, in the form of agent skills', async () => {
  const { body, headers } = await app.inject('/.well-known/agent-skills/attestry/SKILL.md')
  await expect(body).toMatchFileSnapshot(join(root, 'skills/attestry/SKILL.md'))
  expect(headers['content-type']).toBe('text/markdown; charset=utf-8')
  const [, front = '', text = ''] = /^---\n([^]*?)\n---\n([^]*)$/.exec(body) ?? []
  expect(/^name: (.*)$/m.exec(front)?.[1]).toMatch(name)
  expect(/^description: (.*)$/m.exec(front)?.[1]?.length).toBeLessThanOrEqual(1024)
  expect(/^compatibility: (.*)$/m.exec(front)?.[1]?.length).toBeLessThanOrEqual(500)
  expect(text.split('\n').length).toBeLessThan(500)
  // Paths with verdicts come first.
  const paths = Array.from(text.matchAll(/^- `(?:GET|POST) ([^`]+)`/gm), ([, path]) => path)
  expect(paths.slice(0, 4)).toEqual([
    '/scan/gate',
    '/scan/holders',
    '/scan/attestations/status',
    '/scan/agents',
  ])

  const { skills } = (await app.inject('/.well-known/agent-skills/index.json')).json<{
    skills: readonly { readonly digest: string; readonly url: string; readonly name: string }[]
  }>()
  expect(skills).toMatchObject([
    {
      name: 'attestry',
      type: 'skill-md',
      url: '/.well-known/agent-skills/attestry/SKILL.md',
      digest: `sha256:${hash('sha256', body)}`,
    },
  ])
})

test('the catalog names what there is under the name by which the server was asked', async () => {
  const headers = { host: 'index.example', 'x-forwarded-proto': 'https' }
  const response = await app.inject({ url: '/.well-known/ai-catalog.json', headers })
  expect(response.headers['content-type']).toBe('application/ai-catalog+json')
  const catalog = response.json<{ entries: readonly { readonly type: string; readonly url: string }[] }>()
  expect(Check(catalogSchema, catalog)).toBe(true)
  expect(catalog.entries.map((entry) => entry.url)).toEqual([
    'https://index.example/mcp/server-card',
    'https://index.example/.well-known/agent-skills/attestry/SKILL.md',
    'https://index.example/openapi.json',
  ])
  for (const entry of catalog.entries) {
    expect((await app.inject(new URL(entry.url).pathname)).statusCode).toBe(200)
  }
  const { body } = await withoutMcp.inject('/.well-known/ai-catalog.json')
  expect(body).not.toContain('/mcp')
  const odd = await app.inject({ url: '/.well-known/ai-catalog.json', headers: { host: 'a b"<c>' } })
  expect(odd.body).not.toContain('<c>')
})

test('the card of the MCP server and the manifest for the registry have their forms, and one identity', async () => {
  const response = await app.inject({ url: '/mcp/server-card', headers: { host: '127.0.0.1:4000' } })
  expect(response.headers['content-type']).toBe('application/mcp-server-card+json')
  const card = response.json<Record<string, unknown>>()
  expect(Check(cardSchema, card)).toBe(true)
  expect(card['remotes']).toEqual([{ type: 'streamable-http', url: 'http://127.0.0.1:4000/mcp' }])
  expect((await withoutMcp.inject('/mcp/server-card')).statusCode).toBe(404)

  const manifest = registryManifest()
  await expect(`${JSON.stringify(manifest, null, 2)}\n`).toMatchFileSnapshot(join(root, 'server.json'))
  expect(Check(manifestSchema, manifest)).toBe(true)
  const { mcpName, version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as {
    readonly mcpName: string
    readonly version: string
  }
  expect(manifest).toMatchObject({ name: mcpName, version })
  expect(card).toMatchObject({ name: mcpName, version })
})

test('the description of the interface and the list for models begin with what decides', async () => {
  const { paths, tags } = (await app.inject('/openapi.json')).json<{
    paths: Record<string, unknown>
    tags: readonly { readonly name: string }[]
  }>()
  expect(Object.keys(paths).slice(0, 5)).toEqual([
    '/scan/gate/{policy}/{address}',
    '/scan/policies',
    '/scan/gate',
    '/scan/holders',
    '/scan/attestations/status',
  ])
  expect(tags.slice(0, 4).map((tag) => tag.name)).toEqual(['gate', 'holders', 'attestations', 'agents'])
  const { body } = await app.inject('/llms.txt')
  expect(body.indexOf('POST /scan/gate')).toBeGreaterThan(0)
  expect(body.indexOf('POST /scan/gate')).toBeLessThan(body.indexOf('/scan/search'))
})
