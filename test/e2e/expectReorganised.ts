import { expect } from 'vitest'
import type { ReorganisationsResult } from './runReorganisations.ts'

/** Compares an index that followed a chain through reorganisations with the chain. */
export function expectReorganised(result: ReorganisationsResult): void {
  const { survived, truth, depths, takenBack } = result
  // At least one reorganisation must have reverted indexed blocks.
  expect(depths.length).toBeGreaterThan(0)
  expect(takenBack).toBeGreaterThan(0)

  const records = survived.map((line) => JSON.parse(line) as Record<string, unknown>)
  const schemas = records.filter((record) => record.type === 'schema')
  const attestations = records.filter((record) => record.type === 'attestation')
  expect(schemas.map(({ schemaId, registrant, rawText }) => ({ schemaId, registrant, rawText }))).toEqual(
    truth.schemas.map(({ registrant, data }, i) => ({ schemaId: localId(i), registrant, rawText: data })),
  )
  expect(
    attestations.map(({ attestationId, schemaId, attester, indexingValue, revokeReason }) => ({
      attestationId,
      schemaId,
      attester,
      indexingValue,
      revokeReason,
    })),
  ).toEqual(
    truth.attestations.map(({ schemaId, attester, indexingValue, revoked }, i) => ({
      attestationId: localId(i),
      schemaId: `0x${schemaId.toString(16)}`,
      attester,
      indexingValue,
      revokeReason: revoked,
    })),
  )
}

function localId(index: number): string {
  return `0x${(index + 1).toString(16)}`
}
