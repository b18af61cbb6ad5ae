import { expect, test } from 'vitest'
import { classifyKeyword } from '@attestry/core/model/keyword.ts'
import { fieldKindNumber } from '../layout/fieldKey.ts'
import type { Reads } from '../port/reads.ts'
import { sqliteDialect } from '../sqlite/dialect.ts'
import { searchValues } from './searchValues.ts'
import type { ReadSession } from './session.ts'

const { text, bytes, integer } = fieldKindNumber

test.each([
  // The key of a short value is the value itself.
  ['seven', [[text, text]]],
  ['7', [[text, integer]]],
  [
    '007',
    [
      [text, text],
      [integer, integer],
    ],
  ],
  ['0xab', [[text, bytes]]],
  [
    '0xAB',
    [
      [text, text],
      [bytes, bytes],
    ],
  ],
])('the fields with the value %s are read once for each key', async (keyword, expected) => {
  const asked: unknown[] = []
  const all = (_sql: string, _key: unknown, _limit: unknown, ...kinds: unknown[]) => {
    asked.push(kinds)
    return Promise.resolve([])
  }
  const session = { connection: { dialect: sqliteDialect, all } as Partial<Reads> } as unknown as ReadSession
  const classified = classifyKeyword(keyword)
  if (classified === null) throw new Error('it is a keyword')
  const found = await searchValues(session, classified, 10)
  expect(found).toEqual({ total: 0, rows: [] })
  expect(asked).toEqual(expected)
})
