import { expect, test } from 'vitest'
import type { DomainEvent } from '@attestry/core/model/domainEvent.ts'
import { standsBeside } from '@attestry/core/model/domainEvent.ts'
import { createWorldChain } from './createWorldChain.ts'
import { chains, worldAttestations } from './shape.ts'

const share = 0.001
const world = chains.map((shape) => createWorldChain(shape, share, 1))
const eventsOf = (chainId: number) => {
  const chain = world.find((each) => each.chainId === chainId)
  if (chain === undefined) throw new Error(`no chain ${chainId}`)
  const events: DomainEvent[] = []
  for (let block = 0; block <= chain.lastBlock; block++) events.push(...chain.eventsOf(block))
  return events
}
const base = eventsOf(8453)

test('25 chains have the share of the attestations that was asked for', () => {
  expect(world).toHaveLength(25)
  const total = world.reduce((sum, { attestations }) => sum + attestations, 0)
  expect(total / (worldAttestations * share)).toBeCloseTo(1, 2)
  expect(base.filter(({ kind }) => kind === 'attestationMade')).toHaveLength(world[0]?.attestations ?? 0)
})

test('events ascend, ids are unique, and records are known before they are named', () => {
  const known = new Set<string>()
  let previous: DomainEvent | undefined
  const isInOrder = (event: DomainEvent): boolean => {
    const isAfter = event.position > (previous?.position ?? -1) || standsBeside(event, previous)
    previous = event
    if (!isAfter) return false
    if (event.kind === 'attestationRevoked') return known.delete(`made ${event.localId}`)
    if (event.kind === 'metadataSet') return true
    const id =
      event.kind === 'schemaRegistered'
        ? event.schema.key.localId
        : event.kind === 'attestationMade' && known.has(event.attestation.schemaLocalId)
          ? `made ${event.attestation.key.localId}`
          : null
    if (id === null || known.has(id)) return false
    known.add(id)
    return true
  }
  expect(base.find((event) => !isInOrder(event))).toBeUndefined()
})

test('the kinds name the records that the chain makes', () => {
  const ids = new Set(
    base.flatMap((event) =>
      event.kind === 'attestationMade'
        ? [`${event.attestation.attester} onchain_evm_8453_${event.attestation.key.localId}`]
        : [],
    ),
  )
  for (const kind of world[0]?.kinds ?? []) {
    for (const number of [0, kind.attestations - 1]) {
      expect(ids).toContain(`${kind.attestation(number).attester} ${kind.attestationId(number)}`)
    }
  }
})

test('a quarter of Linea’s records of Verax are under one schema, and the campaign lasts a month', () => {
  const linea = eventsOf(59144).flatMap((event) =>
    event.kind === 'attestationMade' && event.attestation.protocol === 'verax' ? [event.attestation] : [],
  )
  const [, most = []] =
    [...Map.groupBy(linea, ({ schemaLocalId }) => schemaLocalId)].sort(
      ([, a], [, b]) => b.length - a.length,
    )[0] ?? []
  expect(most.length / linea.length).toBeCloseTo(1.49 / 6.366_748, 1)
  const chain = world[0]
  const campaign = chain?.kinds.find(({ name }) => name === 'campaign')
  const times = [0, (campaign?.attestations ?? 1) - 1].map(
    (number) => campaign?.attestation(number).attestTimestamp ?? 0,
  )
  expect(((times[1] ?? 0) - (times[0] ?? 0)) / 86_400).toBeCloseTo(30, -1)
})
