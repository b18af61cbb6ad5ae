import { expect, test } from 'vitest'
import { countNamesakes } from './countNamesakes.ts'

test('schemas have one name whatever its case and spaces, and a longer name is another one', () => {
  const found = ['KYC Level 2', 'kyc  level 2 ', 'KYC Level 20', ''].map((name) => ({ name }))
  expect(countNamesakes('KYC Level 2', found)).toBe(2)
  expect(countNamesakes('Human', found)).toBe(0)
})
