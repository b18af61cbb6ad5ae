import { expect, test } from 'vitest'
import { readUntilClosed } from './readUntilClosed.ts'

test('others go on between two reads of an answer that have used up a turn', async () => {
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
