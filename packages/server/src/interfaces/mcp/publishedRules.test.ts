import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createServer } from '../../testing/createServer.ts'
import { createSampleIndex } from '../../pipeline/testing/sampleIndex.ts'
import { openTestIndex } from '../../pipeline/testing/testIndex.ts'

interface Schema {
  readonly type?: unknown
  readonly enum?: readonly unknown[]
  readonly items?: Schema
  readonly properties?: Readonly<Record<string, Schema>>
  readonly required?: readonly string[]
  readonly [keyword: string]: unknown
}

interface Tool {
  readonly name: string
  readonly description: string
  readonly inputSchema: Schema
}

/** Rules that clients publish, or report when they refuse a list of tools. */
interface Rules {
  readonly toolsMax: number
  readonly toolName: RegExp
  readonly descriptionMax: number
  readonly propertyName: RegExp
  readonly keywords: ReadonlySet<string>
  /** Whether an object needs named members. The arguments of a tool may have none. */
  readonly wantsMembers: boolean
}

const common = [
  'type',
  'description',
  'enum',
  'items',
  'properties',
  'required',
  'minimum',
  'maximum',
] as const

const clients: Readonly<Record<string, Rules>> = {
  'Messages API of Anthropic': {
    toolsMax: Infinity,
    // Claude Code puts `mcp__<server>__` before the name, within 64 characters.
    toolName: /^[a-zA-Z0-9_-]{1,40}$/,
    descriptionMax: Infinity,
    propertyName: /^[a-zA-Z0-9_.-]{1,64}$/,
    keywords: new Set([...common, 'additionalProperties', 'pattern', 'default', 'examples', 'format']),
    wantsMembers: false,
  },
  'functions of OpenAI, also strict ones': {
    toolsMax: 128,
    toolName: /^[a-zA-Z0-9_-]{1,64}$/,
    descriptionMax: 1_024,
    propertyName: /^[a-zA-Z0-9_-]{1,64}$/,
    keywords: new Set([
      ...common,
      'additionalProperties',
      'anyOf',
      'pattern',
      'minItems',
      'maxItems',
      '$ref',
      '$defs',
    ]),
    wantsMembers: true,
  },
  'function declarations of Gemini': {
    toolsMax: 128,
    toolName: /^[a-zA-Z_][a-zA-Z0-9_-]{0,63}$/,
    descriptionMax: 1_024,
    propertyName: /^[a-zA-Z_][a-zA-Z0-9_]{0,63}$/,
    keywords: new Set([...common, 'nullable', 'format', 'title', 'example', 'anyOf', 'minItems', 'maxItems']),
    wantsMembers: true,
  },
}

/** All schemas in a schema with their places, itself first. */
function schemasIn(schema: Schema, place: string): readonly (readonly [string, Schema])[] {
  const { properties = {}, items } = schema
  return [
    [place, schema],
    ...Object.entries(properties).flatMap(([name, each]) => schemasIn(each, `${place}.${name}`)),
    ...(items === undefined ? [] : schemasIn(items, `${place}[]`)),
  ]
}

function breaches({ name, description, inputSchema }: Tool, rules: Rules): readonly string[] {
  const found: string[] = []
  if (!rules.toolName.test(name)) found.push(`the name ${name}`)
  if (description.length > rules.descriptionMax) found.push(`the length of the description of ${name}`)
  for (const [place, schema] of schemasIn(inputSchema, name)) {
    const { type, properties = {}, required = [], items, enum: listed = [] } = schema
    const names = Object.keys(properties)
    found.push(
      ...Object.keys(schema).flatMap((each) => (rules.keywords.has(each) ? [] : [`${place} has ${each}`])),
      ...names.flatMap((each) => (rules.propertyName.test(each) ? [] : [`${place} names ${each}`])),
      ...required.flatMap((each) => (names.includes(each) ? [] : [`${place} requires ${each}`])),
    )
    if (!['object', 'array', 'string', 'integer', 'number', 'boolean'].includes(String(type))) {
      found.push(`the type of ${place}`)
    }
    if (listed.some((each) => typeof each !== 'string' || type !== 'string'))
      found.push(`the enum of ${place}`)
    if (type === 'array' && items === undefined) found.push(`the missing items of ${place}`)
    if (type === 'object' && rules.wantsMembers && place !== name && names.length === 0) {
      found.push(`the missing members of ${place}`)
    }
  }
  return found
}

describe('the list of tools keeps to the rules of', () => {
  const app = createServer({
    reader: openTestIndex(createSampleIndex()),
    mcp: { verifyProof: () => Promise.resolve([]) },
  })
  let tools: readonly Tool[] = []
  beforeAll(async () => {
    const { body } = await app.inject({
      method: 'POST',
      url: '/mcp',
      headers: { accept: 'application/json, text/event-stream', 'content-type': 'application/json' },
      payload: { jsonrpc: '2.0', id: 1, method: 'tools/list', params: {} },
    })
    tools = (JSON.parse(body) as { result: { tools: readonly Tool[] } }).result.tools
  })
  afterAll(() => app.close())

  test.each(Object.entries(clients))('the %s', (_client, rules) => {
    expect(tools.length).toBeGreaterThan(15)
    expect(tools.length).toBeLessThanOrEqual(rules.toolsMax)
    expect(tools.flatMap((tool) => breaches(tool, rules))).toEqual([])
  })
})
