import { serveEas } from './serveEas.ts'
import { afterAll, expect, test } from 'vitest'
import { encodeAbiParameters, parseAbiParameters } from 'viem'
import { parseLocalId, type LocalId } from '@attestry/core/model/compositeId.ts'
import { eventPosition } from '@attestry/core/model/position.ts'
import type { Attestation } from '@attestry/core/model/records.ts'
import { unixSeconds } from '@attestry/core/model/time.ts'
import { decodeAttestedPayload } from '@attestry/core/protocols/decodeAttestedPayload.ts'
import { easInterface } from '@attestry/core/protocols/eas/easInterface.ts'
import { createServer } from '@attestry/server/testing/createServer.ts'
import { sampleChain } from '@attestry/server/pipeline/testing/sampleIndex.ts'
import {
  sampleAddress,
  sampleAttestation,
  sampleHash,
  sampleSchema,
} from '@attestry/server/pipeline/testing/sampleRecords.ts'
import { createTestIndex, openTestIndex } from '@attestry/server/pipeline/testing/testIndex.ts'

const chainId = 10

function uid(number: number): LocalId {
  const id = parseLocalId(`0x${number.toString(16).padStart(64, '0')}`)
  if (id === null) throw new Error('no uid')
  return id
}

const [one, two, unregistered] = [uid(1), uid(2), uid(3)]

function nameAt(number: number, schema: LocalId, name: string, attester: number): Attestation {
  return sampleAttestation(number, {
    key: { chainId, localId: uid(100 + number) },
    protocol: 'eas',
    position: eventPosition(2_000 + number, 0),
    attestTimestamp: unixSeconds(1_700_000_000 + number),
    schemaLocalId: easInterface.nameSchemaId,
    attester: sampleAddress(attester),
    recipients: [],
    data: encodeAbiParameters(parseAbiParameters('bytes32,string'), [schema as `0x${string}`, name]) as never,
  })
}

/**
 * Of the first schema: a name that stays, one that is revoked, and the same name by others and at other times. A schema
 * that nobody registered has a name as well.
 */
const index = createTestIndex({
  schemas: [one, two].map((localId, number) =>
    sampleSchema(number, {
      key: { chainId, localId },
      protocol: 'eas',
      position: eventPosition(100, number),
    }),
  ),
  attestations: [
    nameAt(1, one, 'stays', 1),
    nameAt(2, one, 'goes', 1),
    nameAt(3, one, 'goes', 1),
    nameAt(4, one, 'goes', 2),
    nameAt(5, two, 'goes', 1),
    nameAt(6, unregistered, 'of nothing', 1),
    nameAt(9, one, 'goes', 1),
  ],
  revocations: {
    [uid(103)]: { timestamp: '1700000007', reason: '', transactionHash: sampleHash(9) },
  },
  chains: [sampleChain({ chainId, protocols: ['eas'], name: 'OP Mainnet' })],
})
const app = createServer({
  reader: openTestIndex(index),
  decodePayload: decodeAttestedPayload,
  wings: [serveEas()],
})
afterAll(() => app.close())

async function ask(query: string): Promise<{ data?: Record<string, unknown>; errors?: unknown }> {
  return (await app.inject({ method: 'POST', url: '/eas/10/graphql', payload: { query } })).json()
}

const idOf = (number: number) => ({ id: uid(100 + number) })
const left = [9, 5, 4, 1].map(idOf)

test('a revocation takes the earlier rows of that name, schema and attester out of every answer', async () => {
  const { data, errors } = await ask(`{
    schemaNames { id }
    goes: schemaNames(where: { name: { equals: "goes" }, attesterAddress: { equals: "${sampleAddress(1)}" } }) { id }
    aggregateSchemaName { _count { _all } }
    groupBySchemaName(by: [schemaId], orderBy: [{ schemaId: asc }]) { schemaId _count { _all } }
    revoked: schemaName(where: { id: "${uid(103)}" }) { id }
    twin: schemaName(where: { id: "${uid(102)}" }) { id }
    later: schemaName(where: { id: "${uid(109)}" }) { id }
    ofNothing: schemaName(where: { id: "${uid(106)}" }) { id }
    stub: attestation(where: { id: "${uid(106)}" }) { schema { schemaNames { id } } }
    named: schemata(where: { schemaNames: { some: { name: { contains: "of nothing" } } } }) { id }
    paged: schemaNames(cursor: { id: "${uid(105)}" }, take: 2) { id }
    schemata(orderBy: [{ id: asc }]) { id _count { schemaNames } schemaNames { id } }
    never: schemata(where: { schemaNames: { none: { name: { equals: "goes" } } } }) { id }
  }`)
  expect(errors).toBeUndefined()
  expect(data).toEqual({
    schemaNames: left,
    goes: [9, 5].map(idOf),
    aggregateSchemaName: { _count: { _all: 4 } },
    groupBySchemaName: [
      { schemaId: one, _count: { _all: 3 } },
      { schemaId: two, _count: { _all: 1 } },
    ],
    revoked: null,
    twin: null,
    later: idOf(9),
    ofNothing: null,
    stub: { schema: { schemaNames: [] } },
    named: [],
    paged: [5, 4].map(idOf),
    schemata: [
      { id: one, _count: { schemaNames: 3 }, schemaNames: [9, 4, 1].map(idOf) },
      { id: two, _count: { schemaNames: 1 }, schemaNames: [idOf(5)] },
    ],
    never: [],
  })
})

test('names come back with a reorganisation of their revocation', async () => {
  Object.assign(index, { revocations: {}, version: index.version + 1 })
  expect((await ask('{ schemaNames { id } }')).data).toEqual({
    schemaNames: [9, 5, 4, 3, 2, 1].map(idOf),
  })
})
