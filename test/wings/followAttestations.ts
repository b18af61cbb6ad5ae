import { writeFile } from 'node:fs/promises'
import type { IndexHost, IndexingWing } from '@attestry/server/wing.ts'
import { createJournalTail } from '@attestry/core/changes/journalTail.ts'

/** Counts attestations as they are indexed, and writes the number into a file. */
export async function followAttestations(
  { reader, stop, clock }: IndexHost,
  file: string,
): Promise<IndexingWing> {
  const tail = createJournalTail({ journal: reader, version: () => reader.indexVersion(), clock })
  let count = 0
  await writeFile(file, '0')
  const leave = tail.follow(100, async (changes) => {
    count += changes?.filter(({ kind }) => kind === 'attestation').length ?? 0
    await writeFile(file, String(count))
  })
  const ended = new Promise<void>((resolve) => {
    stop.addEventListener('abort', () => resolve(), { once: true })
  })
  return { ended: ended.then(leave) }
}
