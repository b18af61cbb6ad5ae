import { expect, test } from 'vitest'
import { createScreen } from './createScreen.ts'
import { visibleText } from './visibleText.ts'

test.each([
  ['plain, ünï, 日本語, 👩‍👩‍👧', 'plain, ünï, 日本語, 👩‍👩‍👧'],
  ['two\nlines\tand a tab', 'two\nlines\tand a tab'],
  ['\x1b[2J\x1b]0;title\x07', '\\u001b[2J\\u001b]0;title\\u0007'],
  ['over\rwritten\b\x7f\0', 'over\\u000dwritten\\u0008\\u007f\\u0000'],
  ['\x9b2J\x85', '\\u009b2J\\u0085'],
  ['a\u202egnp.exe\u2066\u200f\u2028', 'a\\u202egnp.exe\\u2066\\u200f\\u2028'],
])('%j is shown as %j', (text, shown) => {
  expect(visibleText(text)).toBe(shown)
})

test('JSON keeps its meaning', () => {
  const value = { name: '\x1b[2J\x9b\u202e' }
  expect(JSON.parse(visibleText(JSON.stringify(value)))).toEqual(value)
})

test('the log and the live lines of a terminal have no control characters of strangers', () => {
  let written = ''
  const screen = createScreen({ write: (text) => (written += text) })
  screen.printLine('an endpoint says \x1b]52;c;x\x07')
  screen.setLiveLines(['chain \u202e'])
  expect(written).toBe('an endpoint says \\u001b]52;c;x\\u0007\nchain \\u202e\n')
})
