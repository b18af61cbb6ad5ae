import { expect } from 'vitest'
import type { CrashesResult } from './runCrashes.ts'

/** Compares the index that survived the crashes with the chain, and asserts that the run killed in every phase. */
export function expectCrashed({ survived, integrity, kills, chain }: CrashesResult): void {
  expect(integrity).toEqual(['ok'])
  expect(survived.filter((line) => line.startsWith('{"type":"schema"'))).toHaveLength(
    chain.count('signSchema'),
  )
  const attestations = survived.filter((line) => line.startsWith('{"type":"attestation"'))
  expect(attestations).toHaveLength(chain.count('signAttestation'))
  expect(attestations.filter((line) => line.includes('"revokedBy":{'))).toHaveLength(
    chain.count('signRevocation'),
  )
  // At least one kill must interrupt a backfill that has committed and is not finished.
  expect(kills.filter(({ halfway }) => halfway).length).toBeGreaterThan(0)
  expect(new Set(kills.map(({ phase }) => phase))).toEqual(new Set(['starting', 'backfilling', 'following']))
}
