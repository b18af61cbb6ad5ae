import { encodeAbiParameters, type Hex as ViemHex } from 'viem'
import { describe, expect, test } from 'vitest'
import type { LocalId } from '../../model/compositeId.ts'
import { type Address, type Hash, type Hex, noBytes } from '../../model/hex.ts'
import { eventPosition } from '../../model/position.ts'
import { unixSeconds } from '../../model/time.ts'
import type { ChainLog, Deployment, ReadResult } from '../protocolAdapter.ts'
import { veraxEventTypes } from './veraxAbi.ts'
import { veraxAdapter } from './veraxAdapter.ts'

// veraxAdapter.realChain.test.ts covers the contracts of one version; this file covers the other versions.

const registry = `0x${'11'.repeat(20)}` as Address
const schemas = `0x${'22'.repeat(20)}` as Address
const deployment: Deployment = {
  protocol: 'verax',
  chainId: 59144,
  address: registry,
  schemaRegistry: schemas,
  startBlock: 0,
}
const [old, next] = [idOf(4), idOf(5)]

describe('a replacement', () => {
  const registered = logOf('attestationRegistered', 0, [next], noBytes)
  const revoked = logOf('revoked', 1, [], words(old))
  const replaced = logOf('replaced', 2, [], words(old, next))

  test.each([
    ['up to v9', [registered, revoked, replaced]],
    ['of v10', [revoked, registered, replaced]],
  ])('is read in the order of logs %s', (_, logs) => {
    const events = logs.flatMap((log) => decode(log, logs, log === registered ? recordOf(next) : null))
    expect(events).toHaveLength(2)
    expect(events).toContainEqual(
      expect.objectContaining({
        kind: 'attestationRevoked',
        localId: old,
        reason: `replaced by onchain_evm_59144_${next}`,
      }),
    )
    expect(events.find((event) => event.kind === 'attestationMade')?.attestation).toMatchObject({
      key: { localId: next },
      linkedAttestation: old,
    })
  })

  test('of v2 stands in the revocation itself, which names nothing if it replaces nothing', () => {
    const forAnother = logOf('revokedForAnother', 1, [], words(old, next))
    expect(decode(forAnother, [forAnother], null)).toMatchObject([
      { localId: old, reason: `replaced by onchain_evm_59144_${next}` },
    ])
    const [made] = decode(registered, [registered, forAnother], recordOf(next))
    expect(made).toMatchObject({ attestation: { linkedAttestation: old } })
    const plain = logOf('revokedForAnother', 1, [], words(old, idOf(0)))
    expect(decode(plain, [plain], null)).toMatchObject([{ localId: old, reason: '' }])
  })
})

test('a log that its event does not allow is kept with the reason', () => {
  for (const [log, reason] of [
    [logOf('revoked', 0, [], words(old, next)), /byte 32 should be the end/],
    [logOf('revoked', 0, [old], words(old)), /has 1 topics, the log 2/],
    [{ ...logOf('revoked', 0, [], words(old)), address: schemas }, /is not the contract that makes it/],
    [{ ...logOf('revoked', 0, [], words(old)), topics: [] }, /no event of Verax/],
  ] as const) {
    expect(decode(log, [log], null)).toMatchObject([
      { kind: 'undecodableLog', reason: expect.stringMatching(reason) as string },
    ])
  }
})

test('an id from before v6 belongs to the series of the ids with a prefix', () => {
  const { counters } = veraxAdapter
  const prefixed = `0x0001${'0'.repeat(59)}2` as LocalId
  expect(counters?.numberOf(idOf(1))).toBe(1n)
  expect(counters?.numberOf(prefixed)).toBe(2n)
  expect(counters?.idAt(3n, prefixed)).toBe(`0x0001${'0'.repeat(59)}3`)
})

function decode(log: ChainLog, transactionLogs: readonly ChainLog[], result: ReadResult | null) {
  const context = { headTimestamp: log.blockTimestamp, transactionSender: null, transactionLogs }
  const outcome = veraxAdapter.decodeLog(deployment, log, result, context)
  if (outcome.kind === 'staleRead') throw new Error(outcome.reason)
  return outcome.events
}

function idOf(number: number): LocalId {
  return `0x${number.toString(16).padStart(64, '0')}` as LocalId
}

function words(...ids: readonly LocalId[]): Hex {
  return `0x${ids.map((id) => id.slice(2)).join('')}` as Hex
}

function logOf(
  kind: (typeof veraxEventTypes)[number]['kind'],
  logIndex: number,
  indexed: readonly LocalId[],
  data: Hex,
): ChainLog {
  const topic = veraxEventTypes.find((type) => type.kind === kind)?.topic ?? noBytes
  return {
    address: registry,
    topics: [topic, ...indexed.map((id) => id as string as Hex)],
    data,
    blockNumber: 7,
    blockHash: `0x${'77'.repeat(32)}` as Hash,
    blockTimestamp: unixSeconds(1_700_000_000),
    transactionHash: `0x${'99'.repeat(32)}` as Hash,
    position: eventPosition(7, logIndex),
  }
}

function recordOf(id: LocalId): ReadResult {
  const names =
    'id schemaId replacedBy attester portal attested expires revokedAt version revoked subject data'
  const types = 'bytes32 bytes32 bytes32 address address uint64 uint64 uint64 uint16 bool bytes bytes'.split(
    ' ',
  )
  const components = names.split(' ').map((name, n) => ({ name, type: types[n] ?? '' }))
  const [schemaId, attester, portal] = [idOf(1), registry, schemas] as readonly ViemHex[]
  const record = {
    id,
    schemaId,
    replacedBy: idOf(0),
    attester,
    portal,
    attested: 1_700_000_000n,
    expires: 0n,
    revokedAt: 0n,
    version: 9,
    revoked: false,
    subject: '0x',
    data: '0x',
  }
  return {
    kind: 'returned',
    data: encodeAbiParameters([{ type: 'tuple', components }], [record]) as Hex,
  }
}
