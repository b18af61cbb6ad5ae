import { Client, StreamableHTTPClientTransport, type TextContent } from '@modelcontextprotocol/client'
import type { FastifyInstance } from 'fastify'
import { Check, Errors } from 'typebox/schema'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { ProofMalformedError } from '@attestry/core/errors/proofErrors.ts'
import { createServer, type TestServerOptions } from '../../testing/createServer.ts'
import { createSampleIndex, sampleChain } from '../../pipeline/testing/sampleIndex.ts'
import { openTestIndex } from '../../pipeline/testing/testIndex.ts'

const index = createSampleIndex()

function createMcpServer(options: TestServerOptions = {}): FastifyInstance {
  const verifyProof = async (proof: string) => {
    if (proof === 'null') throw new Error('a defect with a /secret/path')
    if (proof === '{}') throw new ProofMalformedError('The proof is no proof.')
    return ['Valid.', proof]
  }
  const reader = openTestIndex(index)
  return createServer({ reader, mcp: { verifyProof }, ...options })
}

async function connect(app: FastifyInstance, version?: string): Promise<Client> {
  const url = await app.listen({ host: '127.0.0.1', port: 0 })
  const versionNegotiation = version === undefined ? {} : { versionNegotiation: { mode: { pin: version } } }
  const client = new Client(
    { name: 'test', version: '1' },
    {
      ...versionNegotiation,
      // The client's own validator compiles every schema at once, which delays the event loop of the server in here.
      jsonSchemaValidator: {
        getValidator: (schema) => (data) => {
          const [isValid, [error]] = [Check(schema, data), Errors(schema, data)[1]]
          return isValid
            ? { valid: true, data: data as never, errorMessage: undefined }
            : { valid: false, data: undefined, errorMessage: `${error?.instancePath} ${error?.message}` }
        },
      },
    },
  )
  await client.connect(new StreamableHTTPClientTransport(new URL(`${url}/mcp`)))
  return client
}

describe('the Model Context Protocol, asked by its own client', () => {
  const app = createMcpServer()
  let client: Client
  beforeAll(async () => {
    client = await connect(app)
  })
  afterAll(async () => {
    await client.close()
    await app.close()
  })

  async function call(
    name: string,
    values: Record<string, unknown>,
  ): Promise<{ failed: boolean; text: string; data: unknown }> {
    // After a list of tools, the client checks answers against their schemas.
    const { isError, content, structuredContent } = await client.callTool({ name, arguments: values })
    const [{ text }] = content as [TextContent]
    return { failed: isError === true, text, data: structuredContent }
  }

  async function read(name: string, values: Record<string, unknown>): Promise<Record<string, unknown>> {
    const { failed, text, data } = await call(name, values)
    expect([failed, failed ? text : '']).toEqual([false, ''])
    const told = JSON.parse(text) as Record<string, unknown>
    expect(data).toEqual(told)
    return told
  }

  test('says beside the records that strangers wrote their texts', async () => {
    const { content } = await client.callTool({ name: 'list_schemas', arguments: {} })
    expect(content).toMatchObject([
      { type: 'text', text: expect.stringMatching(/^\{"total"/) as unknown },
      { type: 'text', text: expect.stringMatching(/written by strangers/) as unknown },
    ])
  })

  test('says where the index is behind, and calls a holder unknown', async () => {
    const chains = index.chains
    index.chains = [sampleChain({ headBlock: 300_000, updatedAt: null })]
    index.version++
    const asked = {
      addresses: ['0x9999999999999999999999999999999999999999'],
      schemaId: 'onchain_evm_11155111_0x1',
    }
    const { content } = await client.callTool({ name: 'find_holders', arguments: asked })
    const nothing = { id: 'onchain_evm_11155111_0xffff' }
    const missing = await client.callTool({ name: 'get_attestation', arguments: nothing })
    index.chains = chains
    index.version++
    expect(content).toMatchObject([
      { text: expect.stringContaining('"verdict":"unknown"') as unknown },
      { text: expect.stringMatching(/^The index is behind .*11155111:100000:300000/) as unknown },
      { text: expect.stringMatching(/written by strangers/) as unknown },
    ])
    expect(missing.content).toMatchObject([
      { text: expect.stringMatching(/It may exist nevertheless: The index of chain 11155111/) as unknown },
    ])
  })

  test('refuses arguments that are not of the announced form before it builds anything of them', async () => {
    const nested = (depth: number, leaves: number): unknown => {
      let value: unknown = Object.fromEntries(
        Array.from({ length: leaves }, (_, index) => [`leaf${index}`, 'x']),
      )
      for (let level = 0; level < depth; level++) value = { [`level${level}`]: value }
      return value
    }
    for (const field of [
      nested(10, 10_000),
      nested(1, 20_000),
      nested(0, 50_000),
      ['a'],
      { a: { like: 'b' } },
    ]) {
      const { failed, text } = await call('list_attestations', { field })
      expect(failed).toBe(true)
      expect(text).toMatch(
        /^list_attestations cannot take its argument field: .{1,300}inputSchema of the tool says\.$/s,
      )
    }
    expect(await call('list_attestations', { attester: ['0x1'] })).toMatchObject({ failed: true })
  })

  test('lists tools that take what their endpoints take', async () => {
    const { tools } = await client.listTools()
    const names = tools.map(({ name }) => name)
    expect(names).toEqual(
      expect.arrayContaining(['search', 'get_schema', 'list_attestations', 'find_holders']),
    )
    const listing = tools.find(({ name }) => name === 'list_attestations')?.inputSchema
    expect(Object.keys(listing?.properties ?? {})).toEqual(
      expect.arrayContaining(['schemaId', 'attester', 'revoked', 'cursor', 'size']),
    )
    expect(listing?.properties).not.toHaveProperty('include')
    expect(tools.find(({ name }) => name === 'get_schema')?.inputSchema.required).toEqual(['id'])
    const withoutForm = tools.filter(({ outputSchema }) => outputSchema === undefined)
    expect(withoutForm.map(({ name }) => name)).toEqual(['verify_proof'])
    expect(JSON.stringify(tools.map(({ outputSchema }) => outputSchema)).length).toBeLessThan(80_000)
  })

  test('answers what the endpoints answer, with payloads decoded', async () => {
    const { rows, total } = await read('list_attestations', { schemaId: 'onchain_evm_11155111_0x2', size: 1 })
    expect([total, rows]).toMatchObject([1, [{ id: 'onchain_evm_11155111_0x3' }]])
    expect(rows).toMatchObject([{ decodedData: null, protocol: 'sign' }])
    expect(await read('get_schema', { id: 'onchain_evm_11155111_0x1' })).toMatchObject({
      name: 'Schema 1',
      protocol: 'sign',
    })
    expect(await read('list_chains', {})).toMatchObject({ rows: [{ name: 'Sepolia' }] })
    expect(await read('search', { keyword: '0x3' })).toMatchObject({
      queryResult: [{ rows: [{ protocol: 'sign' }] }, {}, {}],
    })
  })

  test('takes lists in a body, and conditions on fields', async () => {
    const ids = ['onchain_evm_11155111_0x3', 'onchain_evm_11155111_0xffff']
    const { rows } = await read('attestation_status', { ids })
    expect(rows).toMatchObject([{ status: 'revoked' }, { status: 'unknown' }])
    expect(await read('list_attestations', { field: { nothing: { in: ['is', 'called'] } } })).toMatchObject({
      total: 0,
    })
  })

  test('accepts JSON text for objects and lists, and null for absent arguments', async () => {
    const ids = JSON.stringify(['onchain_evm_11155111_0x3'])
    expect(await read('attestation_status', { ids, protocol: null })).toMatchObject({
      rows: [{ status: 'revoked' }],
    })
    const field = JSON.stringify({ nothing: { in: ['is', 'called'] } })
    expect(await read('list_attestations', { field, attester: null })).toMatchObject({ total: 0 })
    const policy = JSON.stringify({ holds: { schema: 'onchain_evm_11155111_0x2', attester: 'any' } })
    const subjects = [`0x${'11'.repeat(20)}`]
    expect(await read('evaluate_policy', { policy, subjects })).toMatchObject({
      rows: [{ subject: subjects[0] }],
    })
    const envelope = JSON.stringify({ sig: {}, signer: 'nobody' })
    expect(await read('verify_offchain', { envelope })).toEqual(
      await read('verify_offchain', { sig: {}, signer: 'nobody' }),
    )
    expect(await call('verify_proof', { proof: '{"event":"schema"}' })).toMatchObject({
      text: 'Valid.\n{"event":"schema"}',
    })
    expect(await call('list_attestations', { field: '{"broken' })).toMatchObject({ failed: true })
  })

  test('takes parameters with brackets by the names of arguments and of parameters', async () => {
    const ids = JSON.stringify(['onchain_evm_11155111_0x3'])
    const named = await read('list_attestations', { linkedAttestation_in: ids })
    expect(named).toEqual(await read('list_attestations', { 'linkedAttestation[in]': ids }))
    expect(named['total']).not.toBe((await read('list_attestations', {}))['total'])
    expect((await call('list_attestations', { colour: 'red' })).text).toContain(' recipientHolds_attester,')
  })

  test('counts by a key, and verifies off-chain attestations', async () => {
    expect(await read('group_attestations', { by: 'chain' })).toMatchObject({
      total: 25,
      rows: [{ key: '11155111', count: 25 }],
    })
    const { valid, checks } = await read('verify_offchain', { sig: {}, signer: 'nobody' })
    expect([valid, checks]).toEqual([
      false,
      expect.arrayContaining([expect.objectContaining({ name: 'format', ok: false })]),
    ])
  })

  test('reports a mistake with the sentence of REST', async () => {
    expect(await call('list_attestations', { size: 1_000 })).toEqual({
      failed: true,
      text: expect.stringMatching(/^size must be .* from 1 to 100/),
    })
    expect((await call('list_schemas', { colour: 'red' })).text).toMatch(
      /^list_schemas has no argument 'colour'; its arguments are /,
    )
    expect(await call('list_chains', { id: '1' })).toEqual({
      failed: true,
      text: "list_chains has no argument 'id'; it takes none.",
    })
    expect((await call('get_attestation', { id: 'x' })).failed).toBe(true)
    // Without the id, the path would be that of the listing.
    for (const values of [{}, { id: '' }, { id: '.' }, { id: null }]) {
      expect(await call('get_schema', values)).toEqual({
        failed: true,
        text: "get_schema needs the argument 'id'.",
      })
    }
    await expect(call('delete_all', {})).rejects.toThrow(
      'There is no tool delete_all; the tools are evaluate_policy,',
    )
  })

  test('checks proofs', async () => {
    expect(await call('verify_proof', { proof: { event: 'schema' } })).toEqual({
      failed: false,
      text: 'Valid.\n{"event":"schema"}',
    })
    expect(await call('verify_proof', { proof: {} })).toEqual({
      failed: true,
      text: 'The proof is no proof.',
    })
  })

  test('refuses batches, other types and other methods', async () => {
    const headers = { accept: 'application/json, text/event-stream', 'content-type': 'application/json' }
    const batch = await app.inject({ method: 'POST', url: '/mcp', headers, payload: '[]' })
    expect([batch.statusCode, batch.json<{ message: string }>().message]).toEqual([
      400,
      'A request to /mcp holds one message; send each message of a batch by itself.',
    ])
    expect(
      (
        await app.inject({
          method: 'POST',
          url: '/mcp',
          payload: 'x',
          headers: { 'content-type': 'text/plain' },
        })
      ).statusCode,
    ).toBe(415)
    expect((await app.inject('/mcp')).statusCode).toBe(405)
  })
})

test('the requests of a tool count for the client that called it', async () => {
  const app = createMcpServer({ rateLimit: { max: 6, windowSeconds: 60 } })
  const client = await connect(app)
  const texts: string[] = []
  for (let round = 0; round < 2; round++) {
    const { content } = await client.callTool({ name: 'list_chains', arguments: {} })
    texts.push(JSON.stringify(content))
  }
  expect(texts.map((text) => text.includes('has made its 6 requests'))).toEqual([false, true])
  await client.close()
  await app.close()
})

test('clients of the form without a handshake are answered, and keep no stream open', async () => {
  const app = createMcpServer()
  const client = await connect(app, '2026-07-28')
  const { tools } = await client.listTools()
  expect(tools.map(({ name }) => name)).toContain('list_chains')
  const { content } = await client.callTool({ name: 'list_chains', arguments: {} })
  expect(content[0]).toMatchObject({ type: 'text', text: expect.stringMatching(/^\{"rows"/) as unknown })
  const listening = client.listen({ toolsListChanged: true })
  await expect(listening).rejects.toThrow('Subscription limit reached')
  await client.close()
  await app.close()
})

test('without its option the path does not exist', async () => {
  const reader = openTestIndex(index)
  const app = createServer({ reader })
  expect((await app.inject({ method: 'POST', url: '/mcp', payload: {} })).statusCode).toBe(404)
  await app.close()
})
