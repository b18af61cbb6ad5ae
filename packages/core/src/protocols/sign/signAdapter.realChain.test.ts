import { toHex } from 'viem'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type LocalChain, startLocalChain } from '@attestry/test/harness/localChain.ts'
import type { DomainEvent } from '../../model/domainEvent.ts'
import { parseHash, type Address, type Hex } from '../../model/hex.ts'
import { eventPosition } from '../../model/position.ts'
import { unixSeconds } from '../../model/time.ts'
import type { ChainLog, Deployment, ReadResult } from '../protocolAdapter.ts'
import { hex, lowerAddress } from '../testing/parsedHex.ts'
import { signAdapter } from './signAdapter.ts'

// The strict decoders rely on what Solidity emits and returns being canonical; this asks the real contract.

let chain: LocalChain
beforeAll(async () => {
  chain = await startLocalChain()
})
afterAll(() => chain?.stop())

test('every log and answer of the real contract is read, whatever the lengths in it', async () => {
  const registrant = chain.account(1).address
  const attester = chain.account(2).address
  const texts = ['', 'a', 'x'.repeat(31), 'x'.repeat(32), 'x'.repeat(33), 'é😀\0'.repeat(40)]
  const schemaIds: bigint[] = []
  for (const data of texts) {
    schemaIds.push((await chain.register({ registrant, data, dataLocation: schemaIds.length % 4 })).schemaId)
  }
  const [schemaId = 0n] = schemaIds
  const payloads = [0, 1, 20, 31, 32, 33, 64, 500].map((size) => toHex(new Uint8Array(size).fill(0xff)))
  const { attestationIds } = await chain.attestBatch(
    payloads.map((data, index) => ({
      schemaId,
      attester,
      data,
      recipients: payloads.slice(0, index),
      indexingValue: texts[index % texts.length] ?? '',
    })),
  )
  const reasons = attestationIds.map((_, index) => texts[index % texts.length] ?? '')
  await chain.revokeBatch(attester, attestationIds, reasons)
  const anchors = texts.slice(1)
  await chain.attestOffchain(attester, anchors)
  await chain.revokeOffchain(attester, anchors, texts.slice(0, anchors.length))

  const events = await readEvents()

  expect(
    events.flatMap((event) => (event.kind === 'schemaRegistered' ? [event.schema.rawText] : [])),
  ).toEqual(texts)
  expect(
    events.flatMap((event) =>
      event.kind === 'attestationMade'
        ? [[event.attestation.data, event.attestation.recipients.length, event.attestation.indexingValue]]
        : [],
    ),
  ).toEqual(payloads.map((data, index) => [data, index, texts[index % texts.length]]))
  expect(events.flatMap((event) => (event.kind === 'attestationRevoked' ? [event.reason] : []))).toEqual(
    reasons,
  )
  expect(events.flatMap((event) => (event.kind === 'anchorMade' ? [event.anchor] : []))).toEqual([
    ...anchors.map(() => 'OffchainAttestationMade'),
    ...anchors.map(() => 'OffchainAttestationRevoked'),
  ])
  expect(events).toHaveLength(texts.length + payloads.length * 2 + anchors.length * 2)
})

test('an id that the real contract does not know yet is a stale read, one of its predecessor is undecodable', async () => {
  const deployment = deploymentOf()
  const answer = async (id: bigint): Promise<string> => {
    const log = logOf({ topics: [signAdapter.topics[0] ?? '0x'], data: toHex(id, { size: 32 }) })
    const read = signAdapter.planRead(deployment, log)
    if (read === null) throw new Error('a registered schema needs a read')
    const outcome = signAdapter.decodeLog(deployment, log, await call(read.to, read.data), contextOf())
    if (outcome.kind === 'staleRead') return outcome.kind
    const [event] = outcome.events
    return event?.kind === 'undecodableLog' ? event.reason : `${event?.kind}`
  }
  expect(await answer(10_000n)).toBe('staleRead')
  expect(await answer(0n)).toMatch(/LegacySPRequired/)
})

async function readEvents(): Promise<readonly DomainEvent[]> {
  const deployment = deploymentOf()
  const logs = await chain.client.getLogs({
    address: chain.address,
    fromBlock: BigInt(chain.startBlock),
    toBlock: 'latest',
  })
  const events: DomainEvent[] = []
  for (const log of logs.map(logOf)) {
    const known = log.topics[0] !== undefined && signAdapter.topics.includes(log.topics[0])
    if (!known) continue
    const read = signAdapter.planRead(deployment, log)
    const result = read === null ? null : await call(read.to, read.data)
    const outcome = signAdapter.decodeLog(deployment, log, result, contextOf())
    if (outcome.kind === 'staleRead') throw new Error(outcome.reason)
    events.push(...outcome.events)
  }
  return events
}

async function call(to: Address, data: Hex): Promise<ReadResult> {
  try {
    const returned = await chain.client.request({ method: 'eth_call', params: [{ to, data }, 'latest'] })
    return { kind: 'returned', data: hex(returned) }
  } catch (error) {
    return { kind: 'reverted', data: revertDataOf(error) }
  }
}

/** viem keeps the node's error in the chain of causes. */
function revertDataOf(error: unknown): Hex {
  for (let cause = error; cause instanceof Error; cause = cause.cause) {
    if ('data' in cause && typeof cause.data === 'string') return hex(cause.data)
  }
  throw error
}

function deploymentOf(): Deployment {
  const { address, startBlock, chainId } = chain
  return { protocol: 'sign', chainId, address: lowerAddress(address), schemaRegistry: null, startBlock }
}

function contextOf() {
  return { headTimestamp: unixSeconds(2_000_000_000), transactionSender: null, transactionLogs: [] }
}

function logOf(log: { readonly topics: readonly string[]; readonly data: string }): ChainLog {
  const hash = parseHash(`0x${'11'.repeat(32)}`)
  if (hash === null) throw new Error('a hash has 32 bytes')
  return {
    address: lowerAddress(chain.address),
    topics: log.topics.map(hex),
    data: hex(log.data),
    blockNumber: 1,
    blockHash: hash,
    blockTimestamp: unixSeconds(1_750_000_000),
    transactionHash: hash,
    position: eventPosition(1, 0),
  }
}
