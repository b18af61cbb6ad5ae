import { execFileSync } from 'node:child_process'
import { expect, test } from 'vitest'
import { createRestWatch } from './returnMemory.ts'

test('a thread reports rest once after work, however long it takes', () => {
  const comesToRest = createRestWatch()
  const shares = [0.01, 0.3, 0.1, 0.01, 0.01, 0.5, 0.04]
  expect(shares.map(comesToRest)).toEqual([false, false, false, true, false, false, true])
})

test('memory that garbage took is returned to the system', () => {
  const script = `
    import { getHeapSpaceStatistics } from 'node:v8'
    import { returnMemory } from '${new URL('./returnMemory.ts', import.meta.url).href}'
    const youngBytes = () => getHeapSpaceStatistics().find((space) => space.space_name === 'new_space').space_size
    const kept = Array.from({ length: 300_000 }, (_, n) => ({ n }))
    const before = youngBytes()
    kept.length = 0
    returnMemory()
    console.log(JSON.stringify({ before, after: youngBytes() }))
  `
  const printed = execFileSync(process.execPath, ['--input-type=module', '--eval', script], {
    encoding: 'utf8',
  })
  const { before, after } = JSON.parse(printed) as { before: number; after: number }
  expect(after).toBeLessThan(before / 4)
})
