import { afterAll, expect, test } from 'vitest'
import type { LocalId } from '@attestry/core/model/compositeId.ts'
import type { Hex } from '@attestry/core/model/hex.ts'
import { takeTurn } from '@attestry/core/model/threadTurns.ts'
import { createServer } from '@attestry/server/testing/createServer.ts'
import { createTestIndex, openTestIndex } from '@attestry/server/pipeline/testing/testIndex.ts'
import { sampleChain } from '@attestry/server/pipeline/testing/sampleIndex.ts'
import { sampleAttestation, sampleSchema } from '@attestry/server/pipeline/testing/sampleRecords.ts'
import type { ReadLimits } from '../engine/budget.ts'
import { serveEas } from './serveEas.ts'

const payload = `0x${'ab'.repeat(1024 * 1024)}` as Hex
const chainId = 10
const idOf = (number: number) => `0x${number.toString(16).padStart(64, '0')}` as LocalId
const index = createTestIndex({
  chains: [sampleChain({ chainId, protocols: ['eas'] })],
  schemas: [sampleSchema(1, { protocol: 'eas', key: { chainId, localId: idOf(1) } })],
  attestations: Array.from({ length: 12 }, (_, number) =>
    sampleAttestation(number, {
      protocol: 'eas',
      key: { chainId, localId: idOf(number) },
      schemaLocalId: idOf(1),
      data: payload,
    }),
  ),
})
const reader = openTestIndex(index)

interface Answer {
  readonly data: { readonly attestations: readonly { readonly id: LocalId; readonly data: Hex }[] }
  readonly errors?: readonly { readonly message: string; readonly extensions: object }[]
}

function open(served = reader, limits: Partial<ReadLimits> = {}) {
  const app = createServer({ reader: served, wings: [serveEas({ limits })] })
  afterAll(() => app.close())
  const query =
    'query($where: AttestationWhereInput, $take: Int) { attestations(where: $where, take: $take) { id data } }'
  return async (where: object, take: number, remoteAddress = '192.0.2.1'): Promise<Answer> => {
    const variables = { where, take }
    const url = `/eas/${chainId}/graphql`
    return (await app.inject({ method: 'POST', url, payload: { query, variables }, remoteAddress })).json()
  }
}

const someIds = { id: { in: [1, 2, 3, 4].map(idOf) } }

test('long payloads are whole, in lists and by ids', async () => {
  const ask = open()
  for (const where of [{}, someIds]) {
    const { data } = await ask(where, 4)
    expect(data.attestations.map((row) => row.data === payload)).toEqual([true, true, true, true])
  }
})

test('long payloads of ids are counted before they are read', async () => {
  const read: number[] = []
  const counting = {
    ...reader,
    findAttestations: async (...given: Parameters<typeof reader.findAttestations>) => {
      const rows = await reader.findAttestations(...given)
      read.push(rows.filter((row) => row?.detail?.data === payload).length)
      return rows
    },
  }
  const { errors } = await open(counting, { characters: 3_000_000 })(someIds, 4)
  expect(errors?.[0]?.message).toMatch(/more than 3,000,000 characters of records \(limit characters\)/)
  expect(read).toEqual([1])
})

test('requests of two clients that hold more than there is memory for are not answered beside one another', async () => {
  // A fast machine would answer the first request before the second one reads.
  const byTurns = {
    ...reader,
    sliceAttestations: async (...given: Parameters<typeof reader.sliceAttestations>) => {
      await takeTurn()
      return await reader.sliceAttestations(...given)
    },
  }
  const ask = open(byTurns)
  const answers = await Promise.all([ask({}, 8), ask({}, 8, '192.0.2.2')])
  const refused = answers.flatMap(({ errors = [] }) => errors)
  expect(refused).toMatchObject([{ extensions: { code: 'SERVICE_UNAVAILABLE', retryAfter: 5 } }])
  expect((await ask({}, 8, '192.0.2.2')).data.attestations).toHaveLength(8)
})

test('requests of one client wait for one another', async () => {
  const ask = open()
  const answers = await Promise.all([ask({}, 8), ask({}, 7), ask({}, 6)])
  expect(answers.map(({ data }) => data.attestations.length)).toEqual([8, 7, 6])
})
