import { afterAll, beforeAll, expect, test } from 'vitest'
import { createSimulatedChain } from '../simulator/simulatedChain.ts'
import { openSqliteReader } from '@attestry/store/sqlite/openSqliteReader.ts'
import type { EndpointCharacter } from '../simulator/simulatedEndpoint.ts'
import { startSimulatorServer } from '../simulator/simulatorServer.ts'
import {
  createVerifiedFolder,
  damage,
  exportIndex,
  indexChain,
  verifiedChainOptions,
  type ServedChain,
  type VerifiedFolder,
} from './verifiedIndex.ts'
import { projections } from '../harness/projections.ts'

/** Verification over endpoints that fail or lie, and over a chain that grows meanwhile. */

const chain = createSimulatedChain(verifiedChainOptions(7, 400))
let character: Partial<EndpointCharacter> = {}
let served: ServedChain
let index: VerifiedFolder

beforeAll(async () => {
  served = { chain, server: await startSimulatorServer(chain, { character: () => character }) }
  index = await createVerifiedFolder(served)
})
afterAll(async () => {
  index.remove()
  await served.server.close()
})

const ofType = (lines: readonly Record<string, unknown>[], wanted: string) =>
  lines.filter(({ type }) => type === wanted)

test('the chain reports a defect that verify found until it is repaired', async () => {
  const path = index.copy()
  const state = async () => {
    const reader = openSqliteReader(path, { projections })
    const [known] = await reader.listChains()
    await reader.close()
    return { defect: known?.defect ?? null, lastError: known?.status.lastError ?? null }
  }
  expect(await state()).toEqual({ defect: null, lastError: null })
  damage(
    path,
    'DELETE FROM attestation WHERE id = (SELECT id FROM attestation ORDER BY id LIMIT 1 OFFSET 90)',
  )
  expect((await index.verify(path, { all: true })).right).toBe(false)
  const { defect, lastError } = await state()
  expect(defect?.fromBlock ?? Number.NaN).toBeLessThanOrEqual(defect?.toBlock ?? Number.NaN)
  expect(lastError).toMatch(/^"attestry verify" found \d+ differences.*records are missing or wrong until/)
  // The damaged block is looked at again, though no sample is.
  expect((await index.verify(path, { sample: '0' })).right).toBe(false)
  expect((await state()).defect).not.toBeNull()
  expect((await index.verify(path, { all: true, repair: true })).right).toBe(true)
  expect(await state()).toEqual({ defect: null, lastError: null })
})

test('a chain that is not in the index, or that no endpoint is known of, is not found right', async () => {
  const path = index.copy()
  const absent = await index.verify(path, { chain: '5', offline: true })
  expect(absent.right).toBe(false)
  expect(ofType(absent.lines, 'unasked')).toEqual([
    { type: 'unasked', chainId: 5, reason: 'it is not in the index' },
  ])
})

test('an endpoint of another chain is not asked, and repairs nothing', async () => {
  const path = index.copy()
  damage(path, 'UPDATE chain SET attestation_count = attestation_count - 1')
  const before = await exportIndex(path)
  character = { chainId: 999 }
  const { right, lines } = await index.verify(path, { repair: true })
  character = {}
  expect(right).toBe(false)
  expect(ofType(lines, 'unasked')).toHaveLength(1)
  expect(ofType(lines, 'difference')).toHaveLength(1)
  expect(await exportIndex(path)).toEqual(before)
})

test('a node that has pruned its logs takes nothing away from the index', async () => {
  const path = index.copy()
  const before = await exportIndex(path)
  character = { logBlocks: 50 }
  for (const flags of [{}, { all: true }, { all: true, repair: true }]) {
    const { right, lines } = await index.verify(path, flags)
    expect(right).toBe(false)
    expect(ofType(lines, 'difference')).toEqual([])
    expect(ofType(lines, 'unasked')).toEqual([
      expect.objectContaining({
        reason: expect.stringMatching(/gave no logs of \d+ blocks between .* pruned/),
      }),
    ])
  }
  expect(await exportIndex(path)).toEqual(before)

  // Nor does the repair remove a damaged row that it cannot read again, or adjust counters to the remaining rows.
  damage(path, 'UPDATE attestation SET valid_until = 5 WHERE id = (SELECT min(id) FROM attestation)')
  damage(path, "DELETE FROM attestation WHERE id = (SELECT min(id) FROM attestation WHERE protocol = 'eas')")
  const damaged = await exportIndex(path)
  expect((await index.verify(path, { all: true, repair: true })).right).toBe(false)
  expect(await exportIndex(path)).toEqual(damaged)
  character = {}
  expect((await index.verify(path, { all: true, repair: true })).right).toBe(true)
  expect(await exportIndex(path)).toEqual(before)
})

test('without the state of the checkpoint, only the counters are not compared, which is reported', async () => {
  const path = index.copy()
  chain.mine(200)
  character = { stateBlocks: 128 }
  const { right, lines } = await index.verify(path, { all: true })
  character = {}
  expect(right).toBe(false)
  expect(ofType(lines, 'difference')).toEqual([])
  expect(ofType(lines, 'unasked')).toEqual([
    expect.objectContaining({ reason: expect.stringMatching(/the contracts' counters were not compared$/) }),
  ])
})

test('an index that its chain has left by a reorganisation is right up to where they part', async () => {
  const path = index.copy()
  await indexChain(served, path)
  const head = chain.head()
  chain.reorganise(5, 8)
  const { right, lines } = await index.verify(path, { all: true })
  expect(ofType(lines, 'difference')).toEqual([])
  expect(ofType(lines, 'compared')).toEqual([expect.objectContaining({ upToBlock: head - 5 })])
  expect(right).toBe(true)
})

test('a revocation above the block where index and chain part is no difference', async () => {
  const path = index.copy()
  do chain.mine(1)
  while (!headRevokesEarlierRecord())
  await indexChain(served, path)
  const head = chain.head()
  chain.reorganise(1, 1)
  const { right, lines } = await index.verify(path, { all: true })
  expect(ofType(lines, 'difference')).toEqual([])
  expect(ofType(lines, 'compared')).toEqual([expect.objectContaining({ upToBlock: head - 1 })])
  expect(right).toBe(true)
})

test('an index that grows while it is verified is found right', async () => {
  const path = index.copy()
  const growing = indexChain(served, path)
  for (let round = 0; round < 3; round++) {
    const { lines } = await index.verify(path, { all: true })
    expect(ofType(lines, 'difference')).toEqual([])
  }
  await growing
})

/** Whether the newest block revokes a Sign Protocol record of an earlier block. */
function headRevokesEarlierRecord(): boolean {
  const [view, head] = [chain.view(), chain.head()]
  return chain
    .events(view, head, head)
    .some(
      (event) => event.kind === 'signRevocation' && chain.signAttestation(view, event.id, head - 1) !== null,
    )
}
