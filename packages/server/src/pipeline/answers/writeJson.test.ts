import fc from 'fast-check'
import { expect, test } from 'vitest'
import { turnMs } from '@attestry/core/model/threadTurns.ts'
import { jsonText, writeInTurns, writeJson } from './writeJson.ts'

const digits = '{"n":12345678901234567890,"2":1.0,"1":"\\u0041"}'

test('content of strangers stands in an answer to the letter', () => {
  const row = { content: { state: 'verified', json: jsonText(digits) }, none: undefined, after: [null, 'é"'] }
  const text = `{"content":{"state":"verified","json":${digits}},"after":[null,"é\\""]}`
  expect(writeJson(row)).toBe(text)
  expect(writeJson([row, row])).toBe(`[${text},${text}]`)
})

test('any other value is written as JSON.stringify writes it', async () => {
  const json = fc.dictionary(
    fc.string().map((name) => `_${name}`),
    fc.jsonValue({ maxDepth: 3 }),
  )
  await fc.assert(
    fc.asyncProperty(json, fc.array(fc.jsonValue(), { maxLength: 30 }), async (members, rows) => {
      const data = { before: 1, rows, ...members }
      expect(writeJson(data)).toBe(JSON.stringify(data))
      expect(await writeInTurns(data)).toBe(JSON.stringify(data))
      const text = jsonText(digits)
      const around = await writeInTurns({ ...data, text })
      expect(around).toBe(`${JSON.stringify({ ...data, text: 0 }).slice(0, -2)}${digits}}`)
    }),
  )
})

test('other work gets turns between the rows of a long list', async () => {
  const slow = {
    toJSON: () => {
      const end = performance.now() + turnMs
      while (performance.now() < end);
      return 1
    },
  }
  let turns = 0
  const count = () => {
    turns += 1
    handle = setImmediate(count)
  }
  let handle = setImmediate(count)
  expect(await writeInTurns({ total: 12, rows: Array(12).fill(slow) })).toBe(
    `{"total":12,"rows":[${Array(12).fill(1).join(',')}]}`,
  )
  clearImmediate(handle)
  expect(turns).toBeGreaterThan(2)
})
