import { createClient, type Client } from 'graphql-sse'
import { checksumAddress } from '@attestry/core/model/checksumAddress.ts'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import {
  sampleAddress,
  sampleAnchor,
  sampleAttestation,
  sampleSchema,
} from '../../pipeline/testing/sampleRecords.ts'
import { serveIndex, type ServedIndex } from '@attestry/client/testing/serveIndex.ts'

let index: ServedIndex
const clients: Client[] = []

beforeEach(async () => {
  index = await serveIndex()
})
afterEach(async () => {
  for (const client of clients.splice(0)) client.dispose()
  await index.close()
})

const query =
  'subscription ($filter: ChangeFilter, $from: String) { changes(filter: $filter, lastEventId: $from) ' +
  '{ id type record recordId anchor { type value account } attestation { attestationId revoked schema { name } } schema { name } } }'

interface Result {
  readonly data?: { readonly changes: Readonly<Record<string, unknown>> & { readonly id: string } } | null
  readonly errors?: readonly { readonly message: string }[]
}

/** Subscribes as the client of `graphql-sse` does; the results collect in the list. */
function subscribe(variables: Readonly<Record<string, unknown>> = {}, text = query): Result[] {
  const client = createClient({ url: `${index.baseUrl}/graphql`, retryAttempts: 0 })
  clients.push(client)
  const results: Result[] = []
  client.subscribe(
    { query: text, variables: { ...variables } },
    {
      next: (result) => void results.push(result as Result),
      error: (error) => void results.push({ errors: [{ message: String(error) }] }),
      complete: () => void results.push({}),
    },
  )
  return results
}

const opened = async (count: number) => {
  await expect.poll(() => index.openStreams(), { interval: 5 }).toBe(count)
}

const schemaId = 'onchain_evm_11155111_0x1'
const schema = sampleSchema(1)
const attestations = [1, 2, 3].map((id) => sampleAttestation(id))
const made = attestations.map((attestation) => ({
  kind: 'attestationMade' as const,
  position: attestation.position,
  attestation,
}))

function changesOf(results: readonly Result[]) {
  return results.map(({ data }) => data?.changes)
}

describe('a subscription by the client of graphql-sse', () => {
  test('streams an anchor, and its revert by a reorganisation', async () => {
    const account = sampleAddress(9)
    const [all, ofAccount, ofSchema] = [
      subscribe(),
      subscribe({ filter: { attester: account } }),
      subscribe({ filter: { schemaId } }),
    ]
    await opened(3)
    const anchor = sampleAnchor(account)
    await index.apply(anchor)
    await expect.poll(() => all.length === 1 && ofAccount.length === 1).toBe(true)
    await index.revert(0)
    await expect.poll(() => all.length === 2 && ofAccount.length === 2).toBe(true)
    const shown = { type: 'RevokedOffchain', value: anchor.value, account: checksumAddress(account) }
    expect(changesOf(all)).toMatchObject([
      { type: 'ANCHOR', record: null, anchor: shown, attestation: null },
      { type: 'REVERT', record: 'ANCHOR', recordId: null, anchor: shown },
    ])
    expect(ofAccount).toEqual(all)
    expect(ofSchema).toEqual([])
  })

  test('streams each change that passes its filter, reverts too, and continues after an id', async () => {
    const [all, ofSchema, ofOther] = [
      subscribe(),
      subscribe({ filter: { schemaId } }),
      subscribe({ filter: { attester: `0x${'9'.repeat(40)}` } }),
    ]
    await opened(3)
    await index.apply({ kind: 'schemaRegistered', position: schema.position, schema }, ...made)
    await expect.poll(() => all.length === 4 && ofSchema.length === 4).toBe(true)
    expect(changesOf(all)).toMatchObject([
      { type: 'SCHEMA', schema: { name: schema.definition.name }, attestation: null, record: null },
      ...attestations.map(({ key }) => ({
        type: 'ATTESTATION',
        attestation: { attestationId: key.localId, revoked: false, schema: { name: schema.definition.name } },
        schema: null,
      })),
    ])
    expect(ofOther).toEqual([])
    const second = all[1]?.data?.changes.id
    const rest = subscribe({ from: second })
    await expect.poll(() => rest.length).toBe(2)
    expect(rest).toEqual(all.slice(2))
    await index.revert(0)
    await expect.poll(() => all.length === 8 && rest.length === 6).toBe(true)
    expect(changesOf(all).slice(4)).toMatchObject([
      { type: 'REVERT', record: 'ATTESTATION', recordId: 'onchain_evm_11155111_0x3', attestation: null },
      { recordId: 'onchain_evm_11155111_0x2' },
      { recordId: 'onchain_evm_11155111_0x1' },
      { type: 'REVERT', record: 'SCHEMA', recordId: schemaId },
    ])
  })

  test('is reset where it comes back to a place that the journal does not have', async () => {
    const results = subscribe({ from: '5-0' })
    await expect.poll(() => results.length).toBe(1)
    expect(changesOf(results)).toMatchObject([{ type: 'RESET', attestation: null }])
  })

  test('reports a mistake in the document, and answers a query once', async () => {
    const [unknown, malformed, once] = [
      subscribe({}, 'subscription { changes { nothing } }'),
      subscribe({ filter: { attester: 'x' } }),
      subscribe({}, '{ stats { schemaCount } }'),
    ]
    await expect.poll(() => unknown.length > 0 && malformed.length > 0 && once.length === 2).toBe(true)
    expect(unknown[0]?.errors?.[0]?.message).toContain('nothing')
    expect(JSON.stringify(malformed)).toContain('400')
    expect(once).toEqual([{ data: { stats: { schemaCount: 0 } } }, {}])
  })

  test.each(['chainId: "x"', 'fields: [{ name: "level", gte: "2" }]'])(
    'with the malformed filter %s is refused with the code of other malformed arguments',
    async (filter) => {
      const response = await fetch(`${index.baseUrl}/graphql`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', accept: 'text/event-stream' },
        body: JSON.stringify({ query: `subscription { changes(filter: { ${filter} }) { type } }` }),
      })
      expect(response.status).toBe(400)
      expect(await response.json()).toMatchObject({ errors: [{ extensions: { code: 'BAD_USER_INPUT' } }] })
    },
  )

  test('is refused without a stream, and beyond the number of streams', async () => {
    const response = await fetch(`${index.baseUrl}/graphql`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ query }),
    })
    expect(await response.text()).toContain('accept text/event-stream')
    for (let count = 0; count < 8; count++) subscribe()
    await opened(8)
    const refused = subscribe()
    await expect.poll(() => refused.length > 0).toBe(true)
    expect(JSON.stringify(refused)).toContain('503')
  })
})
