import { expect, test } from 'vitest'
import { chainState, chainTrouble } from './chainState.ts'

const chain = { name: 'Sepolia', phase: 'following', secondsBehind: 0, lastError: null } as const

test('a chain that is followed closely is up to date and no trouble', () => {
  expect(chainState(chain)).toEqual({ word: 'Up to date', tone: 'good' })
  expect(chainTrouble(chain)).toBeNull()
})

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

test('a chain that is paused is expected to be', () => {
  expect(chainTrouble({ ...chain, phase: 'paused', secondsBehind: 10 ** 7 })).toBeNull()
})
