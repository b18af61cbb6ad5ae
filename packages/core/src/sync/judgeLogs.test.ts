import { expect, test } from 'vitest'
import { judgeLogs, type LogsVote } from './judgeLogs.ts'

const votes = (...seals: readonly string[]): LogsVote[] =>
  seals.map((seal, i) => ({ host: `e${Math.ceil(i / 2)}`, seal }))

test.each<[string, string, string[], string, string[]]>([
  ['no answer', '2-a', [], 'same', []],
  ['the logs of the index', '2-a', ['2-a', '2-a'], 'same', []],
  ['an endpoint that lacks them', '2-a', ['0', '2-a', '1-b'], 'same', ['e0', 'e1']],
  ['one endpoint with more logs, against many', '0', ['0', '0', '2-a'], 'other', ['e0', 'e1']],
  ['other logs, as many, of most endpoints', '2-a', ['2-b', '2-b', '2-a'], 'other', ['e1']],
  ['other logs, as many, of half of the endpoints', '2-a', ['2-b', '2-a'], 'same', ['e0']],
  ['fewer logs of all endpoints', '2-a', ['1-b', '1-b'], 'fewer', []],
  ['ten logs, which are more than nine', '9-a', ['10-a'], 'other', []],
])('%s', (_, stored, seals, kind, contradicted) => {
  expect(judgeLogs(stored, votes(...seals))).toEqual({ kind, contradicted })
})
