import { encodeAbiParameters, parseAbiParameters } from 'viem'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { FastifyInstance } from 'fastify'
import { createSqliteTestStore } from '@attestry/test/harness/sqliteTestStore.ts'
import { createServer } from '@attestry/server/testing/createServer.ts'
import {
  sampleAddress,
  sampleAttestation,
  sampleContract,
  sampleHash,
  sampleSchema,
} from '@attestry/server/pipeline/testing/sampleRecords.ts'
import { localIdOfCounter } from '@attestry/core/model/compositeId.ts'
import type { DomainEvent } from '@attestry/core/model/domainEvent.ts'
import type { Address, Hex } from '@attestry/core/model/hex.ts'
import { eventPosition } from '@attestry/core/model/position.ts'
import { unixMilliseconds, unixSeconds } from '@attestry/core/model/time.ts'
import { decodeAttestedPayload } from '@attestry/core/protocols/decodeAttestedPayload.ts'
import { listFieldPaths } from '@attestry/core/protocols/listFieldPaths.ts'
import type { IndexReader } from '@attestry/core/index/indexReader.ts'
import { openSqliteReader } from '@attestry/store/sqlite/openSqliteReader.ts'
import { openSqliteWriter } from '@attestry/store/sqlite/openSqliteWriter.ts'
import { createPolicies } from './gatePolicies.ts'

const chainId = 10
const startS = 1_700_000_000
const [victim, member, stranger] = [3, 4, 5].map((number) => sampleAddress(number)) as [
  Address,
  Address,
  Address,
]
const poisonCount = 150
const note = 'x'.repeat(100_000)

/** One attestation a block: both voters are members, then somebody sends one of them long payloads. */
function attest(number: number, voter: Address, role: string, text: string): DomainEvent {
  const position = eventPosition(number, 0)
  const attestation = sampleAttestation(number, {
    key: { chainId, localId: localIdOfCounter(BigInt(number)) },
    position,
    recipients: [{ kind: 'address', address: voter }],
    attestTimestamp: unixSeconds(startS + number),
    data: encodeAbiParameters(parseAbiParameters('string, string'), [role, text]) as Hex,
  })
  return { kind: 'attestationMade', position, attestation }
}

describe.each(['no field', 'each field'])('where %s is indexed', (indexed) => {
  let app: FastifyInstance
  let reader: IndexReader
  let remove: () => Promise<void> | void
  beforeAll(async () => {
    const store = createSqliteTestStore({ rankThreshold: 1_000 })
    ;({ remove } = store)
    const fields = { decodePayload: decodeAttestedPayload, includes: () => indexed === 'each field' }
    const writer = openSqliteWriter(store.path, { fields })
    const position = eventPosition(1, 0)
    const names = ['role', 'note']
    const schema = sampleSchema(1, {
      key: { chainId, localId: localIdOfCounter(1n) },
      position,
      definition: { name: '', description: '', fields: names.map((name) => ({ name, type: 'string' })) },
    })
    await writer.openChain({
      chainId,
      name: 'Ten',
      contracts: [{ protocol: 'sign', address: sampleContract, schemaRegistry: null, startBlock: 0 }],
    })
    const last = poisonCount + 4
    await writer.applyBlocks(chainId, {
      fromBlock: 0,
      checkpoint: { blockNumber: last, timestamp: unixSeconds(startS + last) },
      events: [
        { kind: 'schemaRegistered', position, schema },
        attest(2, victim, 'member', ''),
        attest(3, member, 'member', ''),
        ...Array.from({ length: poisonCount }, (_, index) => attest(index + 4, victim, 'none', note)),
      ],
      recentBlocks: [
        {
          number: last,
          hash: sampleHash(2),
          parentHash: sampleHash(1),
          timestamp: unixSeconds(startS + last),
        },
      ],
      forgetBlocksBelow: 0,
      storedAt: unixMilliseconds(startS * 1000),
    })
    await writer.close()
    reader = openSqliteReader(store.path, { decodePayload: decodeAttestedPayload })
    app = createServer({
      reader,
      decodePayload: decodeAttestedPayload,
      listFieldPaths,
      now: () => unixMilliseconds((startS + last + 10) * 1000),
      policies: createPolicies({ member: policy }, false),
    })
  })
  afterAll(async () => {
    await app.close()
    await reader.close()
    await remove()
  })

  const policy = {
    holds: { schema: `onchain_evm_${chainId}_0x1`, attester: 'any', field: { role: 'member' } },
  }
  const addresses = [victim, member, stranger]
  const post = async (url: string, payload: unknown) => {
    const response = await app.inject({ method: 'POST', url, payload: payload as object })
    return { status: response.statusCode, body: response.json<Record<string, unknown>>() }
  }

  test('long payloads that strangers send to one voter change no other vote', async () => {
    const sent = { network: String(chainId), snapshot: 'latest', addresses }
    const { status, body } = await post('/snapshot/member', sent)
    const unknown = expect.stringMatching(/^The subject has more attestations that do not count/) as string
    expect([status, body]).toEqual([
      200,
      {
        score: [
          indexed === 'each field' ? { address: victim, score: 1 } : { address: victim, score: 0, unknown },
          { address: member, score: 1 },
          { address: stranger, score: 0 },
        ],
      },
    ])
  })

  test('nor do they change another verdict', async () => {
    const { status, body } = await post('/scan/gate', { policy: 'member', subjects: addresses })
    expect([status, body]).toMatchObject([
      200,
      {
        data: {
          rows: [
            { subject: victim, verdict: indexed === 'each field' ? 'allow' : 'unknown' },
            { subject: member, verdict: 'allow' },
            { subject: stranger, verdict: 'deny' },
          ],
        },
      },
    ])
  })
})
