import { expect, test } from 'vitest'
import { byState, chainState, chainTrouble, concernOf } from './chainState.ts'

const chain = {
  name: 'Sepolia',
  phase: 'following',
  secondsBehind: 0,
  secondsSinceReport: 1,
  indexedBlock: 7,
  lastError: null,
  defect: null,
} as const

test('a chain that is followed closely is up to date and no trouble', () => {
  expect(chainState(chain, 4)).toEqual({ word: 'Up to date', tone: 'good' })
  expect(chainTrouble(chain)).toBeNull()
})

test('no chain is up to date by an answer that is nearly ten seconds old', () => {
  expect(chainState(chain, 8).word).toBe('Up to date')
  for (const phase of ['following', 'backfilling', 'stopped', 'paused'] as const) {
    expect(chainState({ ...chain, phase }, 9)).toEqual({ word: 'State not known', tone: 'quiet' })
  }
})

test('the age of the answer adds to the distance from the head', () => {
  expect(chainState({ ...chain, secondsBehind: 9 }, 5).word).toBe('Up to date')
  expect(chainState({ ...chain, secondsBehind: 9 }, 6)).toEqual({ word: '15 seconds behind', tone: 'quiet' })
})

test.each([
  ['without a block', { indexedBlock: null, secondsBehind: null }],
  ['whose distance is not known', { secondsBehind: null }],
  ['that is stopped', { phase: 'stopped' }],
  ['that does not answer', { phase: 'retrying' }],
  ['that is paused', { phase: 'paused' }],
  ['whose records are known to be missing', { defect: 'Blocks 5 to 7 are missing.' }],
  ['that is behind', { secondsBehind: 15 }],
] as const)('a chain %s is not up to date', (_, state) => {
  const { word, tone } = chainState({ ...chain, ...state }, 0)
  expect([word, tone]).not.toContain('Up to date')
  expect(tone).not.toBe('good')
})

test.each(['starting', 'backfilling', 'retrying'] as const)(
  'a chain whose indexer died while it was %s is not being indexed',
  (phase) => {
    const late = { ...chain, phase, secondsBehind: 7_200 }
    expect(chainState({ ...late, secondsSinceReport: 300 }, 0).word).not.toContain('Not being indexed')
    const dead = { ...late, secondsSinceReport: 301 }
    expect(chainState(dead, 0)).toEqual({ word: 'Not being indexed, 2 hours behind', tone: 'bad' })
    expect(chainTrouble(dead)).toContain('Sepolia: not being indexed, 2 hours behind.')
  },
)

test('a chain that is behind says by how much', () => {
  expect(chainTrouble({ ...chain, secondsBehind: 7200 })).toBe(
    'Sepolia: 2 hours behind. Newer records may be missing here.',
  )
})

test('a chain that does not answer says why', () => {
  const trouble = chainTrouble({ ...chain, phase: 'retrying', secondsBehind: 60, lastError: 'No answer.' })
  expect(trouble).toContain('not answering, 1 minute behind')
  expect(trouble).toContain('No answer.')
})

test('a chain with a known defect says which', () => {
  expect(chainTrouble({ ...chain, defect: 'Blocks 5 to 7 are missing.' })).toBe(
    'Sepolia: incomplete. Records are known to be missing or wrong here. Blocks 5 to 7 are missing.',
  )
})

test('a chain that is paused is expected to be', () => {
  expect(chainTrouble({ ...chain, phase: 'paused', secondsBehind: 10 ** 7 })).toBeNull()
})

test('chains are counted by their states, whatever their distance is, those in trouble first', () => {
  const chains = [
    { ...chain, name: 'a' },
    { ...chain, name: 'b', secondsBehind: 40 },
    { ...chain, name: 'c', phase: 'backfilling', secondsBehind: 9_000 } as const,
    { ...chain, name: 'd', secondsBehind: 50 },
  ].toSorted((a, b) => concernOf(a) - concernOf(b))
  const states = byState(chains, 0).map(({ label, chains: those }) => [
    label,
    those.map((each) => each.chain.name),
  ])
  expect(states).toEqual([
    ['Catching up', ['c']],
    ['Behind', ['b', 'd']],
    ['Up to date', ['a']],
  ])
})
