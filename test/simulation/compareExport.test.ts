import { expect, test } from 'vitest'
import { createSimulatedChain } from '../simulator/simulatedChain.ts'
import { compareExport } from './compareExport.ts'
import { expectedIndex } from './expectedIndex.ts'

const chain = createSimulatedChain({ seed: 4, blocks: 100 })
const expected = expectedIndex(chain, { name: 'Simulated', sign: 0, eas: null, transactionSenders: false })
const lines = expected.map((line) => JSON.stringify(line))

test('accepts an export with members beyond the expected ones', () => {
  const more = lines.map((line) => JSON.stringify({ ...(JSON.parse(line) as object), more: true }))
  expect(compareExport(['{"format":"header"}', ...more], expected)).toEqual([])
})

test('reports everything missing, superfluous or different in an export', () => {
  const at = lines.findIndex((line) => line.startsWith('{"type":"attestation"'))
  const line = lines[at] ?? ''
  expect(compareExport(lines.toSpliced(at, 1), expected).join('\n')).toMatch(
    /lines of type attestation instead of/,
  )
  expect(compareExport(lines.toSpliced(at, 0, line), expected).join('\n')).toMatch(
    /lines of type attestation/,
  )
  const altered = JSON.stringify({ ...(JSON.parse(line) as object), data: '0x77' })
  expect(compareExport(lines.with(at, altered), expected)).toHaveLength(1)
  const stamped = JSON.stringify({ ...(JSON.parse(line) as object), lastSyncAt: 1, revoked: false })
  expect(compareExport(lines.with(at, stamped), expected).join('\n')).toMatch(/revoked is|lastSyncAt/)
})
