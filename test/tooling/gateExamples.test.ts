import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { encodeAbiParameters, parseAbiParameters } from 'viem'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { parse } from 'yaml'
import { createServer } from '@attestry/server/testing/createServer.ts'
import { createPolicies } from '@attestry/trust/gate/gatePolicies.ts'
import {
  sampleAddress,
  sampleAttestation,
  sampleContract,
  sampleHash,
  sampleSchema,
} from '@attestry/server/pipeline/testing/sampleRecords.ts'
import { createSqliteTestStore } from '@attestry/server/testing/sqliteTestStore.ts'
import { localIdOfCounter } from '@attestry/core/model/compositeId.ts'
import type { DomainEvent } from '@attestry/core/model/domainEvent.ts'
import type { Address, Hex } from '@attestry/core/model/hex.ts'
import { eventPosition } from '@attestry/core/model/position.ts'
import { unixMilliseconds, unixSeconds } from '@attestry/core/model/time.ts'
import { decodeAttestedPayload } from '@attestry/core/protocols/decodeAttestedPayload.ts'
import { listFieldPaths } from '@attestry/core/protocols/listFieldPaths.ts'

/** The examples of docs/gate.md, over an index of their records: each policy, request and answer as it stands there. */
const text =
  readFileSync(join(import.meta.dirname, '../../docs/gate.md'), 'utf8').split('## Three examples')[1] ?? ''
const examples = text
  .split(/^### /m)
  .slice(1)
  .map((part) => {
    const [policies = '', answer = ''] = Array.from(part.matchAll(/(?:^ {4}.*\n)+/gm), ([block]) =>
      block.replaceAll(/^ {4}/gm, ''),
    )
    const command = /^```sh\n([^]*?)\n```$/m.exec(part)?.[1] ?? ''
    return {
      title: part.split('\n')[0] ?? '',
      policies: (parse(policies) as { readonly policies: Readonly<Record<string, unknown>> }).policies,
      path: /http:\/\/127\.0\.0\.1:4000(\S+)/.exec(command)?.[1] ?? '',
      body: /-d '([^']*)'/.exec(command)?.[1] ?? null,
      answer: JSON.parse(answer) as Readonly<Record<string, unknown>>,
    }
  })

const timeS = 1_718_000_000
const heads = { 10: 120_000_000, 1: 20_000_000 } as const
type Chain = keyof typeof heads
const issuer = sampleContract
const store = await createSqliteTestStore()
const reader = store.openReader()
const app = createServer({
  reader,
  decodePayload: decodeAttestedPayload,
  listFieldPaths,
  now: () => unixMilliseconds((timeS + 2) * 1000),
  policies: createPolicies(
    Object.fromEntries(examples.flatMap(({ policies }) => Object.entries(policies))),
    false,
  ),
})

function register(chainId: Chain, number: bigint): DomainEvent {
  const position = eventPosition(heads[chainId] - 20, Number(number))
  const schema = sampleSchema(Number(number), {
    key: { chainId, localId: localIdOfCounter(number) },
    position,
    definition: { name: '', description: '', fields: [{ name: 'level', type: 'uint8' }] },
  })
  return { kind: 'schemaRegistered', position, schema }
}

function attest(
  chainId: Chain,
  schema: bigint,
  number: bigint,
  by: {
    readonly attester: Address
    readonly recipient: number
    readonly level: number
    readonly age: number
  },
): DomainEvent {
  const position = eventPosition(heads[chainId] - by.age, 0)
  const attestation = sampleAttestation(Number(number), {
    key: { chainId, localId: localIdOfCounter(number) },
    schemaLocalId: localIdOfCounter(schema),
    position,
    attester: by.attester,
    attestTimestamp: unixSeconds(timeS - by.age * 2),
    recipients: [{ kind: 'address', address: sampleAddress(by.recipient) }],
    data: encodeAbiParameters(parseAbiParameters('uint8'), [by.level]) as Hex,
  })
  return { kind: 'attestationMade', position, attestation }
}

const events: Readonly<Record<Chain, readonly DomainEvent[]>> = {
  10: [
    register(10, 8n),
    register(10, 9n),
    attest(10, 8n, 0x2an, { attester: issuer, recipient: 3, level: 3, age: 15 }),
    attest(10, 8n, 0x2bn, { attester: issuer, recipient: 4, level: 1, age: 5 }),
  ],
  1: [
    register(1, 0x15n),
    attest(1, 0x15n, 0x30n, { attester: sampleAddress(0xa), recipient: 0x20, level: 1, age: 9 }),
    attest(1, 0x15n, 0x31n, { attester: sampleAddress(0xc), recipient: 0x20, level: 1, age: 8 }),
    attest(1, 0x15n, 0x32n, { attester: sampleAddress(0xb), recipient: 0x21, level: 1, age: 7 }),
    attest(1, 0x15n, 0x33n, { attester: sampleAddress(0xb), recipient: 0x21, level: 1, age: 6 }),
    // By an account that is not an auditor.
    attest(1, 0x15n, 0x34n, { attester: sampleAddress(0xd), recipient: 0x21, level: 1, age: 4 }),
  ],
}

beforeAll(async () => {
  const writer = store.openWriter()
  for (const chainId of [10, 1] as const) {
    const head = heads[chainId]
    await writer.openChain({
      chainId,
      name: `Chain ${chainId}`,
      contracts: [{ protocol: 'sign', address: sampleContract, schemaRegistry: null, startBlock: head - 20 }],
    })
    await writer.applyBlocks(chainId, {
      fromBlock: head - 20,
      checkpoint: { blockNumber: head, timestamp: unixSeconds(timeS) },
      events: events[chainId],
      recentBlocks: Array.from({ length: 21 }, (_, index) => ({
        number: head - 20 + index,
        hash: sampleHash(index === 20 ? (chainId === 10 ? 1 : 2) : chainId * 100 + index),
        parentHash: sampleHash(chainId * 100 + index - 1),
        timestamp: unixSeconds(timeS - (20 - index) * 2),
      })),
      forgetBlocksBelow: 0,
      storedAt: unixMilliseconds(timeS * 1000),
    })
  }
  await writer.close()
})
afterAll(async () => {
  await app.close()
  await reader.close()
  await store.remove()
})

test('there are three', () => expect(examples.map(({ title }) => title)).toHaveLength(3))

test.each(examples)('$title: the answer is the documented one', async ({ path, body, answer }) => {
  const headers = { 'content-type': 'application/json' }
  const response = await app.inject(
    body === null ? path : { method: 'POST', url: path, headers, payload: body },
  )
  expect(response.statusCode).toBe(200)
  const { data = response.json<unknown>() } = response.json<{ readonly data?: unknown }>()
  expect({ ...(data as object), ...('policyHash' in answer ? { policyHash: '…' } : {}) }).toEqual(answer)
})
