/**
 * A terminal with a few live lines below the log. Invariant: the live lines are the last thing written, so that
 * going up by their number reaches the first of them, and a log line takes their place before they are written anew.
 */
export interface Screen {
  /** Writes a line that stays. */
  printLine(line: string): void
  /** Puts other live lines in place of the present ones. Each must fit the terminal's width. */
  setLiveLines(lines: readonly string[]): void
}

export interface ScreenStream {
  write(text: string): unknown
}

export function createScreen(stream: ScreenStream): Screen {
  let live: readonly string[] = []
  // To the start of the first live line, then everything below is erased.
  const eraseLive = () => (live.length === 0 ? '' : `\x1b[${live.length}A\r\x1b[J`)
  const drawLive = () => live.map((line) => `${line}\n`).join('')
  return {
    printLine: (line) => {
      stream.write(`${eraseLive()}${line}\n${drawLive()}`)
    },
    setLiveLines: (lines) => {
      const erase = eraseLive()
      live = [...lines]
      stream.write(erase + drawLive())
    },
  }
}
