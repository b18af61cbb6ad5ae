import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { inspectText, plainText } from './inspectText.ts'

const marks = (raw: string) =>
  inspectText(raw).parts.flatMap((part) => (part.kind === 'mark' ? [part.codePoint] : []))
const text = (raw: string) =>
  inspectText(raw)
    .parts.map((part) => (part.kind === 'text' ? part.text : ''))
    .join('')

describe('text from a chain', () => {
  test.each([
    ['a right-to-left override', 'invoice\u202Efdp.exe', 'U+202E'],
    ['an isolate', 'a\u2066b', 'U+2066'],
    ['a zero width space', 'KYC\u200B Level 2', 'U+200B'],
    ['a zero width joiner between Latin letters', 'a\u200Db', 'U+200D'],
    ['a byte order mark', '\uFEFFname', 'U+FEFF'],
    ['a Hangul filler', 'a\u3164b', 'U+3164'],
    ['a tag character', 'a\u{E0041}b', 'U+E0041'],
    ['a control character', 'a\u0007b', 'U+0007'],
    ['half of a character', 'a\uD800b', 'U+D800'],
  ])('shows %s as a mark, with a warning', (_name, raw, codePoint) => {
    expect(marks(raw)).toEqual([codePoint])
    expect(inspectText(raw).warnings.join()).toContain(codePoint)
  })

  test.each([
    ['HTML', '<img src=x onerror=alert(1)>'],
    ['a family of emoji', 'Team 👨‍👩‍👧‍👦'],
    ['a flag of a region', '🏴󠁧󠁢󠁥󠁮󠁧󠁿'],
    ['an emoji with a presentation', 'GM ☀️'],
    ['Persian with a non-joiner', 'می‌خواهم'],
    ['Hindi', 'अनन्या शर्मा'],
    ['Vietnamese in decomposed form', 'Nguyễn'.normalize('NFD')],
    ['line breaks', 'one\ntwo\r\n\tthree'],
    ['Russian', 'Олена Коваленко'],
    ['Greek', 'Γιώργος Παππάς'],
    ['Chinese', '佐藤 健一'],
  ])('leaves %s as it is, without a warning', (_name, raw) => {
    expect(inspectText(raw)).toEqual({ parts: [{ kind: 'text', text: raw }], hiddenLength: 0, warnings: [] })
  })

  test('warns of letters of another alphabet within a word, with their code points', () => {
    const [warning] = inspectText('Bin\u0430nce').warnings
    expect(warning).toContain('U+0430')
    expect(warning).toContain('looks like a')
  })

  test('warns of a word of look-alikes among Latin ones, and of styled letters', () => {
    expect(inspectText('\u0420\u0430\u0443 me').warnings).toHaveLength(1)
    expect(inspectText('𝐊𝐘𝐂').warnings).toHaveLength(1)
  })

  test('keeps accents from piling up', () => {
    expect(marks(`e${'\u0301'.repeat(40)}`)).toHaveLength(36)
    // Enclosing marks are no way around it.
    expect(marks(`e${'\u0301\u0489'.repeat(20)}`)).toHaveLength(36)
    expect(plainText(`e${'\u0301'.repeat(40)}x`)).toBe(`e${'\u0301'.repeat(4)}\u{FFFD}x`)
  })

  test('shortens what is too long, between characters, and says by how much', () => {
    expect(inspectText('x'.repeat(20_000), 300)).toMatchObject({ hiddenLength: 19_700 })
    expect(inspectText('a😀', 2)).toMatchObject({ parts: [{ kind: 'text', text: 'a' }], hiddenLength: 2 })
    expect(plainText('x'.repeat(20_000), 10)).toBe(`${'x'.repeat(10)}…`)
  })

  const hostile = fc.string({
    unit: fc.oneof(
      fc.constantFrom(
        '\u202E',
        '\u2066',
        '\u200B',
        '\uFEFF',
        '\uD800',
        '\0',
        '\u0301',
        'a',
        ' ',
        'а',
        '<',
        'é',
      ),
      fc.string({ unit: 'binary', minLength: 1, maxLength: 1 }),
    ),
    maxLength: 200,
  })

  test('never shows bidirectional controls or lone surrogates', () => {
    fc.assert(
      fc.property(hostile, (raw) => {
        expect(text(raw)).not.toMatch(/[\u202A-\u202E\u2066-\u2069\u200E\u200F\u061C\u200B\uFEFF]|\p{Cs}/u)
      }),
    )
  })

  test('the shown parts and the rest make the whole text', () => {
    fc.assert(
      fc.property(hostile, fc.integer({ min: 1, max: 250 }), (raw, lengthMax) => {
        const { parts, hiddenLength } = inspectText(raw, lengthMax)
        const shown = parts
          .map((part) =>
            part.kind === 'text' ? part.text : String.fromCodePoint(parseInt(part.codePoint.slice(2), 16)),
          )
          .join('')
        expect(shown).toBe(raw.slice(0, raw.length - hiddenLength))
        expect(shown.length).toBeLessThanOrEqual(lengthMax)
      }),
    )
  })
})
