import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { formatCsvLine } from './formatCsv.ts'

describe('a line of CSV', () => {
  test.each([
    [['a', 1, true, null, ['x', 'y'], ''], 'a,1,true,,"[""x"",""y""]",\r\n'],
    [['a,b', 'say "x"', 'two\nlines', 'cr\rhere'], '"a,b","say ""x""","two\nlines","cr\rhere"\r\n'],
    [['=1+1', '+1', '-1', '@x', '\tx', '\rx'], "'=1+1,'+1,'-1,'@x,'\tx,\"'\rx\"\r\n"],
    [
      ['=HYPERLINK("http://x","y")', -1, 'a=b', '日本語'],
      '"\'=HYPERLINK(""http://x"",""y"")",-1,a=b,日本語\r\n',
    ],
    [['x;=1+1', 'x; @y', 'x;"=1"', 'a;b', ['x;-1']], 'x;\'=1+1,x;\' @y,"x;\'""=1""",a;b,"[""x;\'-1""]"\r\n'],
    [['x\t=1+1', 'a\tb', 'x\t\t@y'], "x\t'=1+1,a\tb,x\t'\t'@y\r\n"],
    [['x\n=1', '\r=1', '＝1'], '"x\n\'=1","\'\r\'=1",\'＝1\r\n'],
  ])('%j', (values, line) => {
    expect(formatCsvLine(values)).toBe(line)
  })

  test('reads back as the texts it was made of, none of them a formula', () => {
    const cell = fc.oneof(fc.string({ unit: 'binary' }), fc.stringMatching(/^[=+\-@\t\r",;\n'a]{0,6}$/))
    fc.assert(
      fc.property(fc.array(cell, { minLength: 1, maxLength: 5 }), (cells) => {
        const read = parseLine(formatCsvLine(cells))
        const bare = (text: string) => text.replaceAll(/(?<=^|[;\t\r\n])'+(?=[ "]*[=+\-@\t\r＝＋－＠])/g, '')
        expect(read.map(bare)).toEqual(cells.map(bare))
        // Also where semicolons or tabs separate cells, and quotes within a cell quote nothing.
        for (const text of read) expect(text).not.toMatch(/(?<=^|[;\t\r\n])[ "]*[=+\-@\t\r]/)
      }),
    )
  })
})

/** The cells of one line, read as RFC 4180 says. */
function parseLine(line: string): string[] {
  const cells: string[] = []
  let rest = line
  for (;;) {
    const [whole = '', quoted, plain = ''] = /^(?:"((?:[^"]|"")*)"|([^",\r\n]*))(?=,|\r\n$)/.exec(rest) ?? []
    cells.push(quoted === undefined ? plain : quoted.replaceAll('""', '"'))
    rest = rest.slice(whole.length)
    if (rest === '\r\n') return cells
    if (!rest.startsWith(',')) throw new Error(`no line of CSV: ${line}`)
    rest = rest.slice(1)
  }
}
