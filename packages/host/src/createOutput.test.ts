import { expect, test } from 'vitest'
import { createOutput, type OutputOptions } from './createOutput.ts'

test.each([
  ['a terminal', true, {}, /^\d\d:\d\d:\d\d told\n$/],
  ['a pipe', false, {}, /^\{"level":"info".*"msg":"told"\}\n$/],
  ['a terminal, with json', true, { format: 'json' }, /^\{"level":"info".*"msg":"told"\}\n$/],
  ['a pipe, with pretty', false, { format: 'pretty' }, /^\d\d:\d\d:\d\d told\n$/],
  ['a terminal, with only warnings', true, { level: 'warn' }, /^$/],
] as const)('the log on %s', (_, isTTY, options, expected) => {
  expect(written(isTTY, options, (output) => output.log.info('told'))).toMatch(expected)
})

test('a log of JSON on a terminal has no live lines between its lines', () => {
  expect(written(true, { format: 'json' }, (output) => output.showLive(['live']))).toBe('')
  expect(written(true, {}, (output) => output.showLive(['live']))).toContain('live')
})

function written(
  isTTY: boolean,
  options: Partial<OutputOptions>,
  write: (output: ReturnType<typeof createOutput>) => void,
): string {
  let text = ''
  const stream = { isTTY, write: (part: string) => (text += part) }
  write(createOutput(stream, { debug: false, urls: [], ...options }))
  return text
}
