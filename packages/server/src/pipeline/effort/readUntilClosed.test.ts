import { expect, test } from 'vitest'
import { readUntilClosed } from './readUntilClosed.ts'

test('other requests run between two reads of an answer that used up a turn', async () => {
  const log: string[] = []
  const reads = {
    countAgentNotes: () => {
      log.push('read')
      const endMs = performance.now() + 12
      while (performance.now() < endMs);
      return Promise.resolve([])
    },
  }
  const { countAgentNotes } = readUntilClosed(reads, { destroyed: false })
  setImmediate(() => log.push('others'))
  await countAgentNotes()
  await countAgentNotes()
  expect(log).toEqual(['read', 'others', 'read'])
})
