import { encodeAbiParameters, formatUnits, getAddress, parseAbiParameters } from 'viem'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { ChainId } from '@attestry/core/model/compositeId.ts'
import { localIdOfCounter } from '@attestry/core/model/compositeId.ts'
import type { DomainEvent } from '@attestry/core/model/domainEvent.ts'
import type { Address, Hex } from '@attestry/core/model/hex.ts'
import { eventPosition } from '@attestry/core/model/position.ts'
import { unixMilliseconds, unixSeconds } from '@attestry/core/model/time.ts'
import { decodeAttestedPayload } from '@attestry/core/protocols/decodeAttestedPayload.ts'
import { listFieldPaths } from '@attestry/core/protocols/listFieldPaths.ts'
import { createServer } from '@attestry/server/testing/createServer.ts'
import {
  sampleAddress,
  sampleAttestation,
  sampleContract,
  sampleHash,
  sampleSchema,
} from '@attestry/server/pipeline/testing/sampleRecords.ts'
import { listenLocally } from '@attestry/server/pipeline/testing/sendRaw.ts'
import { createSqliteTestStore } from '@attestry/server/testing/sqliteTestStore.ts'
import { createPolicies } from './gatePolicies.ts'

/** Blocks of 100 seconds on chain 10, and of 130 seconds on chain 20. */
const startS = 1_700_000_000
const secondsOf: Readonly<Record<ChainId, number>> = { 10: 100, 20: 130 }
const timeOf = (chainId: ChainId, block: number) => unixSeconds(startS + block * (secondsOf[chainId] ?? 0))

const voters = [3, 4, 5].map((number) => sampleAddress(number)) as [Address, Address, Address]
const [one, two, three] = voters
const big = 2n ** 60n + 1n

const holdsOf = (chainId: ChainId) => ({
  holds: { schema: `onchain_evm_${chainId}_0x1`, attester: [sampleAddress(2)] },
})
const policies = {
  member: holdsOf(10),
  weighted: { ...holdsOf(10), score: { field: 'score' } },
  both: { any: [holdsOf(10), holdsOf(20)], score: 'count' },
  misspelt: { ...holdsOf(10), score: { field: 'weight' } },
}

const store = await createSqliteTestStore()
const reader = store.openReader()
const app = createServer({
  reader,
  decodePayload: decodeAttestedPayload,
  listFieldPaths,
  now: () => unixMilliseconds((startS + 700) * 1000),
  policies: createPolicies(policies, false),
})
let url = ''

function attest(chainId: ChainId, number: number, block: number, voter: Address, score: bigint): DomainEvent {
  const position = eventPosition(block, 0)
  const attestation = sampleAttestation(number, {
    key: { chainId, localId: localIdOfCounter(BigInt(number)) },
    position,
    recipients: [{ kind: 'address', address: voter }],
    attestTimestamp: timeOf(chainId, block),
    data: encodeAbiParameters(parseAbiParameters('uint256'), [score]) as Hex,
  })
  return { kind: 'attestationMade', position, attestation }
}

beforeAll(async () => {
  const writer = store.openWriter()
  for (const chainId of [10, 20]) {
    const position = eventPosition(1, 0)
    const schema = sampleSchema(1, { key: { chainId, localId: localIdOfCounter(1n) }, position })
    const events: DomainEvent[] = [
      { kind: 'schemaRegistered', position, schema },
      attest(chainId, 1, 2, chainId === 10 ? one : two, chainId === 10 ? 7n : 3n),
      attest(chainId, 2, 3, two, big),
      attest(chainId, 3, 5, three, 1n),
    ]
    await writer.openChain({
      chainId,
      name: `Chain ${chainId}`,
      contracts: [{ protocol: 'sign', address: sampleContract, schemaRegistry: null, startBlock: 0 }],
    })
    await writer.applyBlocks(chainId, {
      fromBlock: 0,
      checkpoint: { blockNumber: 6, timestamp: timeOf(chainId, 6) },
      events,
      recentBlocks: Array.from({ length: 7 }, (_, number) => ({
        number,
        hash: sampleHash(chainId * 100 + number),
        parentHash: sampleHash(chainId * 100 + number - 1),
        timestamp: timeOf(chainId, number),
      })),
      forgetBlocksBelow: 0,
      storedAt: unixMilliseconds(startS * 1000),
    })
  }
  await writer.close()
  url = `http://127.0.0.1:${await listenLocally(app)}/snapshot`
})
afterAll(async () => {
  await app.close()
  await reader.close()
  await store.remove()
})

/** The steps of the strategy api-post of Snapshot (0.1.1): what it sends, and what it makes of the answer. */
async function runStrategy(
  network: string,
  addresses: readonly string[],
  options: { readonly api: string; readonly symbol: string; readonly decimals: number },
  snapshot: number | 'latest',
): Promise<Readonly<Record<string, number>>> {
  const response = await fetch(options.api, {
    method: 'POST',
    headers: { accept: 'application/json', 'content-type': 'application/json' },
    body: JSON.stringify({ options, network, snapshot, addresses }),
  })
  const data = (await response.json()) as {
    readonly score: readonly { readonly address: string; readonly score: number | string }[]
  }
  return Object.fromEntries(
    data.score.map(({ address, score }) => [
      getAddress(address),
      parseFloat(formatUnits(BigInt(score.toString()), options.decimals)),
    ]),
  )
}

const optionsOf = (policy: string, decimals = 0) => ({ api: `${url}/${policy}`, symbol: 'VOTE', decimals })
const scoresOf = (scores: readonly number[]) =>
  Object.fromEntries(voters.map((voter, index) => [getAddress(voter), scores[index]]))

test('a space on one chain counts who was a member at the block', async () => {
  expect(await runStrategy('10', voters, optionsOf('member'), 3)).toEqual(scoresOf([1, 1, 0]))
  expect(await runStrategy('10', voters, optionsOf('member'), 1)).toEqual(scoresOf([0, 0, 0]))
  expect(await runStrategy('10', voters, optionsOf('member'), 'latest')).toEqual(scoresOf([1, 1, 1]))
})

test('a vote has the weight in the attestation, also beyond 2^53', async () => {
  expect(await runStrategy('10', voters, optionsOf('weighted'), 3)).toEqual(scoresOf([7, Number(big), 0]))
  expect(await runStrategy('10', voters, optionsOf('weighted', 18), 3)).toEqual(
    scoresOf([7e-18, Number(formatUnits(big, 18)), 0]),
  )
  // A score of 0 for everybody would go unnoticed.
  expect(await refusalOf('misspelt', '10', 3)).toMatchObject([
    400,
    { message: expect.stringMatching(/is no field of the schema, which has 'score'\.$/) as string },
  ])
})

test('a space on two chains counts the second as of the time of the block', async () => {
  // Block 3 of chain 10 is 300 s in: block 2 of chain 20.
  expect(await runStrategy('10', voters, optionsOf('both'), 3)).toEqual(scoresOf([1, 2, 0]))
  // Block 3 of chain 20 is 390 s in: block 3 of chain 10.
  expect(await runStrategy('20', voters, optionsOf('both'), 3)).toEqual(scoresOf([1, 2, 0]))
  // Block 5 of chain 20 is 650 s in, and chain 10 is indexed up to 600 s.
  expect(await refusalOf('both', '20', 5)).toMatchObject([
    503,
    { message: `The index of chain 10 has not reached the time ${startS + 650} yet.` },
  ])
  expect(await refusalOf('both', '1', 5)).toMatchObject([
    400,
    { message: 'asOf must name an indexed chain; chain 1 is not indexed here.' },
  ])
})

async function refusalOf(policy: string, network: string, snapshot: number): Promise<unknown> {
  const response = await fetch(`${url}/${policy}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ options: {}, network, snapshot, addresses: voters }),
  })
  return [response.status, await response.json()]
}
