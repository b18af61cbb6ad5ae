/** One command of a shell: its words, and the file that its output goes to. */
export interface ShellCommand {
  readonly words: readonly string[]
}

/**
 * The commands in a text for a shell, as far as documents use one: words with quotes, comments, lines that a backslash
 * joins, `&&`, variables before a command. Output that goes to a file is left out.
 * @throws Error for a quote without an end, which a shell would wait for.
 */
export function readShell(text: string): readonly ShellCommand[] {
  const commands: ShellCommand[] = []
  let words: string[] = []
  let word: string | null = null
  const endWord = () => {
    if (word !== null) words.push(word)
    word = null
  }
  const endCommand = () => {
    endWord()
    const redirection = words.indexOf('>')
    const kept = redirection === -1 ? words : words.slice(0, redirection)
    if (kept.length > 0) commands.push({ words: kept })
    words = []
  }
  for (let at = 0; at < text.length; at++) {
    const character = text[at] ?? ''
    if (character === "'" || character === '"') {
      const end = text.indexOf(character, at + 1)
      if (end === -1) throw new Error(`a quote without an end: ${text.slice(at, at + 60)}`)
      word = (word ?? '') + text.slice(at + 1, end)
      at = end
    } else if (character === '\\' && text[at + 1] === '\n') at++
    else if (character === '\n') endCommand()
    else if (character === '#' && word === null) at = endOfLine(text, at) - 1
    else if (text.startsWith('&&', at) && word === null) {
      endCommand()
      at++
    } else if (/\s/.test(character)) endWord()
    else word = (word ?? '') + character
  }
  endCommand()
  return commands
}

function endOfLine(text: string, from: number): number {
  const end = text.indexOf('\n', from)
  return end === -1 ? text.length : end
}
