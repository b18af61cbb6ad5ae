import { expect, test } from 'vitest'
import { nameSource } from './nameSource.ts'

test.each([
  ['ens', 'in ENS'],
  ['configuration', "by the operator's labels"],
  ['identity.example', 'by identity.example'],
])('a name from %s is given %s', (source, words) => {
  expect(nameSource(source)).toBe(words)
})
