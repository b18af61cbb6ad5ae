import { expect, test } from 'vitest'
import type { BesideDatabase } from '@attestry/store/beside/besideDatabase.ts'
import { openKeptProofs } from '../keptProofs.ts'
import type { StateProof } from '../stateProof.ts'
import { someWord } from './madeRecords.ts'

/** Tests of the proofs that processes share, over a database. */
export function testKeptProofs(
  open: () => Promise<{ database: BesideDatabase; remove(): Promise<void> }>,
): void {
  test('kept proofs are found by block, or the newest, and the oldest go beyond the bound', async () => {
    const { database, remove } = await open()
    const kept = openKeptProofs(database, 250)
    const hashes = ['01', '02', '03', '04'].map((byte) => someWord(byte))
    const proofAt = (index: number) => ({ block: { hash: hashes[index] } }) as StateProof
    const foundAt = async (index: number) => (await kept.find('7 a', hashes[index] ?? null))?.at ?? null
    try {
      for (const at of [0, 1, 2]) {
        const proof = proofAt(at)
        await kept.put('7 a', { proof, at }, JSON.stringify(proof).padEnd(100))
        await kept.put('7 a', { proof, at: 9 }, JSON.stringify(proof).padEnd(100))
      }
      expect(await Promise.all([0, 1, 2, 3].map(foundAt))).toEqual([null, 1, 2, null])
      expect(await kept.find('7 a', null)).toEqual({ proof: proofAt(2), at: 2 })
      expect(await kept.find('7 b', null)).toBeNull()
    } finally {
      await kept.close()
      await remove()
    }
  })
}
