import { visibleText } from './visibleText.ts'

/**
 * A terminal with a few live lines below the log. Invariant: the live lines are always written last. To print a log
 * line, the cursor moves up by their number, erases them, writes the log line, and writes them again.
 */
export interface Screen {
  /** Writes a line of the log. Control characters in it are made visible, as in live lines. */
  printLine(line: string): void
  /** Replaces the live lines. Each must fit the width of the terminal. */
  setLiveLines(lines: readonly string[]): void
}

export interface ScreenStream {
  write(text: string): unknown
}

export function createScreen(stream: ScreenStream): Screen {
  let live: readonly string[] = []
  // Moves to the start of the first live line and erases everything below.
  const eraseLive = () => (live.length === 0 ? '' : `\x1b[${live.length}A\r\x1b[J`)
  const drawLive = () => live.map((line) => `${line}\n`).join('')
  return {
    printLine: (line) => {
      stream.write(`${eraseLive()}${visibleText(line)}\n${drawLive()}`)
    },
    setLiveLines: (lines) => {
      const erase = eraseLive()
      live = lines.map(visibleText)
      stream.write(erase + drawLive())
    },
  }
}
