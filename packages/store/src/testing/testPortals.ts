import { everyAttestation } from '@attestry/core/index/indexQueries.ts'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { ChainId } from '@attestry/core/model/compositeId.ts'
import type { DomainEvent } from '@attestry/core/model/domainEvent.ts'
import type { Address } from '@attestry/core/model/hex.ts'
import { eventPosition } from '@attestry/core/model/position.ts'
import type { ProtocolName } from '@attestry/core/model/records.ts'
import { addresses, generateBlocks, steps, type GeneratedBlock } from './generatedChain.ts'
import { storedKey } from './modelIndex.ts'
import { fillStore, withStore, type CreateTestStore } from './storeFactory.ts'

const known: readonly Address[] = [1, 2, 5].flatMap((index) => addresses[index] ?? [])

const bodyOf = (chainId: ChainId, protocol: ProtocolName, subject: Address, what: string) =>
  `${chainId} ${protocol} ${subject} ${what}, with a nul: \0`

/** Three events about each known portal of each protocol. */
function metadataOf(chainId: ChainId, block: number): DomainEvent[] {
  const told = [
    { of: 'portal', what: 'old' },
    { of: 'portal', what: 'new' },
    { of: 'module', what: 'module' },
  ] as const
  return ['sign', 'eas']
    .flatMap((protocol) =>
      known.flatMap((subject) => told.map(({ of, what }) => ({ protocol, subject, of, what }))),
    )
    .map(({ protocol, subject, of, what }, index) => ({
      kind: 'metadataSet',
      position: eventPosition(block, 10_000 + index),
      protocol,
      of,
      subject,
      body: bodyOf(chainId, protocol, subject, what),
    }))
}

function blocksOf(chainId: ChainId): readonly GeneratedBlock[] {
  const life = fc.sample(steps(200), { numRuns: 1, seed: 7 })[0] ?? []
  return generateBlocks(chainId, [], life, 'a').map((block, index, { length }) =>
    index < length - 1
      ? block
      : { ...block, events: [...block.events, ...metadataOf(chainId, block.number)] },
  )
}

export function testPortals(create: CreateTestStore): void {
  test('the body of a portal is its newest metadata, of its chain and protocol', async () => {
    const chains = new Map([5, 137].map((chainId) => [chainId, blocksOf(chainId)]))
    const records = [...chains.values()]
      .flatMap((blocks) => blocks.flatMap(({ events }) => events))
      .flatMap((event) => (event.kind === 'attestationMade' ? [event.attestation] : []))
    const expected = records.map(({ key, protocol, portal }) => ({
      portal,
      portalBody:
        portal !== null && known.includes(portal) ? bodyOf(key.chainId, protocol, portal, 'new') : null,
    }))
    // Attestations without a portal, and with an unknown one, are among them.
    expect(new Set(expected.map(({ portal }) => portal)).size).toBeGreaterThan(known.length + 1)
    await withStore(create, { rankThreshold: 3 }, async (writer, reader) => {
      await fillStore(writer, chains)
      const found = await Promise.all(records.map((record) => reader.findAttestation(storedKey(record))))
      expect(found).toMatchObject(expected)
      const page = { page: 1, size: 1_000 }
      const whole = { detail: true, schema: true }
      const { rows } = await reader.listAttestations({ filter: everyAttestation }, page, whole)
      expect(rows).toHaveLength(records.length)
      expect(found).toEqual(expect.arrayContaining([...rows]))
    })
  })
}
