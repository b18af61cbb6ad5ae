import { describe, expect, test } from 'vitest'
import type { SimulatedChain, TrueAttestation } from '../simulator/simulatedChain.ts'
import { runSimulation } from './runSimulation.ts'

/** SIMULATION_SEED repeats one run: `SIMULATION_SEED=17 npx vitest run test/simulation`. */
const seeds =
  process.env.SIMULATION_SEED === undefined
    ? Array.from({ length: 40 }, (_, i) => i + 1)
    : [Number(process.env.SIMULATION_SEED)]

describe('an index that lived through reorganisations, restarts and failing endpoints', () => {
  test.each(seeds)(
    'equals a fresh index of the final chain, and the truth (seed %i)',
    async (seed) => {
      const { survived, fresh, chain } = await runSimulation(seed)
      expect(survived).toEqual(fresh)
      expectTruth(survived, chain)
    },
    60_000,
  )
})

/** Holds what the export says of each record against what the simulator put on the chain. */
function expectTruth(lines: readonly string[], chain: SimulatedChain): void {
  const records = lines.map((line) => JSON.parse(line) as Record<string, unknown>)
  const schemas = records.filter((record) => record.type === 'schema')
  const attestations = records.filter((record) => record.type === 'attestation')
  const { truth } = chain
  expect(schemas.map((schema) => schema.schemaId)).toEqual(truth.schemas.map((_, i) => localId(i)))
  expect(attestations.map((attestation) => attestation.attestationId)).toEqual(
    truth.attestations.map((_, i) => localId(i)),
  )
  for (const [i, expected] of truth.schemas.entries()) {
    const made = truth.attestations.filter((attestation) => attestation.schemaId === i + 1)
    expect(schemas[i]).toMatchObject({
      attestationCount: made.length,
      attesterCount: new Set(made.map((attestation) => attestation.attester)).size,
      revocable: expected.revocable,
      maxValidFor: String(expected.maxValidFor),
      rawText: expected.data,
    })
    expect(String(schemas[i]?.registrant).toLowerCase()).toBe(`0x${expected.registrant}`)
  }
  for (const [i, expected] of truth.attestations.entries()) {
    const found = attestations[i]
    expect(found).toMatchObject({
      schemaId: localId(expected.schemaId - 1),
      indexingValue: expected.indexingKey,
      validUntil: String(expected.validUntil),
      data: `0x${expected.data}`,
      attestTimestamp: String(chain.block(expected.block)?.timestamp),
      ...trueRevocation(expected, chain, found),
    })
    expect(String(found?.attester).toLowerCase()).toBe(`0x${expected.attester}`)
    expect(found?.recipients).toHaveLength(expected.recipients.length)
  }
}

function trueRevocation(
  { block, bornRevokedAt, revocation }: TrueAttestation,
  chain: SimulatedChain,
  found: Record<string, unknown> | undefined,
): object {
  const timeOf = (number: number) => chain.block(number)?.timestamp
  if (bornRevokedAt !== null) {
    // A record of the last block that claims to be revoked in it could still get its event: that is settled a block later.
    if (block === chain.head() && bornRevokedAt === timeOf(block)) return {}
    const revokeTimestamp = String(bornRevokedAt === 0 ? timeOf(block) : bornRevokedAt)
    return { revoked: true, revokeTimestamp, revokeReason: '', revokeTransactionHash: found?.transactionHash }
  }
  if (revocation === null) return { revoked: false, revokeTimestamp: null, revokeReason: null }
  return { revoked: true, revokeTimestamp: String(timeOf(revocation.block)), revokeReason: revocation.reason }
}

function localId(index: number): string {
  return `0x${(index + 1).toString(16)}`
}
