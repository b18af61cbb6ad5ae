import { expect } from 'vitest'
import type { CrashesResult } from './runCrashes.ts'

/** Holds what a run of crashes left behind against the truth, and the run itself against what it is for. */
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
  // Kills that all hit an index without a commit, or only one that was done, would show nothing.
  expect(kills.filter(({ halfway }) => halfway).length).toBeGreaterThan(0)
  expect(new Set(kills.map(({ phase }) => phase))).toEqual(new Set(['starting', 'backfilling', 'following']))
}
