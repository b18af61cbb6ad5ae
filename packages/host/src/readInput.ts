import { readFile } from 'node:fs/promises'
import type { Readable } from 'node:stream'
import { text } from 'node:stream/consumers'
import { ConfigError } from '@attestry/core/errors/configErrors.ts'
import { describeReadFailure } from './describeReadFailure.ts'

/** A text that a command was given, and its name in messages. */
export interface CommandInput {
  readonly name: string
  readonly text: string
}

/**
 * Reads the file that a command was given, or `stdin` where the file is `-`.
 * @param what what the file should hold: `a proof`.
 * @throws ConfigError if the file cannot be read.
 */
export async function readInput(file: string, stdin: Readable, what: string): Promise<CommandInput> {
  if (file === '-') return { name: 'The standard input', text: await text(stdin).then(withoutMark) }
  try {
    return { name: file, text: withoutMark(await readFile(file, 'utf8')) }
  } catch (error) {
    const reason = describeReadFailure(error, {
      ENOENT: `does not exist; give the path of ${what}, or - for the standard input`,
      EISDIR: `is a folder; give the path of ${what}`,
    })
    throw new ConfigError(`The file ${file} ${reason}`, { cause: error })
  }
}

/** A text without the byte order mark that editors of Windows begin files with. */
function withoutMark(text: string): string {
  return text.replace(/^\uFEFF/, '')
}
