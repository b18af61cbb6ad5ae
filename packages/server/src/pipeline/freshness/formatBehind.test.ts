import { expect, test } from 'vitest'
import { NotFoundError } from '@attestry/core/errors/apiErrors.ts'
import { withBehind } from './formatBehind.ts'

test('only what later blocks may bring is said to exist nevertheless', () => {
  const behind = [{ chainId: 7, indexedBlock: 1, headBlock: 9, reason: 'The index of chain 7 is behind.' }]
  const messageOf = (error: NotFoundError) => (withBehind(error, behind, null) as Error).message
  expect(messageOf(new NotFoundError('No record.'))).toBe(
    'No record. It may exist nevertheless: The index of chain 7 is behind.',
  )
  expect(messageOf(new NotFoundError('No proof is kept.', { mayCome: false }))).toBe('No proof is kept.')
})
