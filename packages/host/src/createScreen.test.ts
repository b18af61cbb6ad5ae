import { expect, test } from 'vitest'
import { createScreen } from './createScreen.ts'

test('log lines stay above the live lines, which are rewritten in place', () => {
  const terminal = createTerminal()
  const screen = createScreen(terminal)
  screen.printLine('first')
  screen.setLiveLines(['a 1', 'b 1'])
  screen.setLiveLines(['a 2', 'b 2'])
  screen.printLine('second')
  screen.setLiveLines(['a 3'])
  expect(terminal.lines()).toEqual(['first', 'second', 'a 3', ''])
  screen.setLiveLines([])
  expect(terminal.lines()).toEqual(['first', 'second', ''])
})

/** As much of a terminal as the screen uses: line ends, cursor up, carriage return, erase to the end. */
function createTerminal() {
  const lines = ['']
  let row = 0
  return {
    lines: () => lines,
    write: (text: string) => {
      // oxlint-disable-next-line no-control-regex -- terminals are controlled by escape sequences
      for (const [piece] of text.matchAll(/\x1b\[\d*[AJ]|\r|\n|[^\x1b\r\n]+/g)) {
        // oxlint-disable-next-line no-control-regex -- as above
        const up = /^\x1b\[(\d+)A$/.exec(piece)
        if (up !== null) row -= Number(up[1])
        else if (piece === '\x1b[J') lines.splice(row, lines.length, '')
        else if (piece === '\n') {
          row++
          if (row === lines.length) lines.push('')
        } else if (piece !== '\r') lines[row] = piece
      }
    },
  }
}
