import { ConfigError } from '@attestry/core/errors/configErrors.ts'
import type { KeyPath } from './describeValue.ts'

/** A mistake in a configuration: its path, and one clause that names the right value and the one found. */
export interface Mistake {
  readonly path: KeyPath
  readonly text: string
}

/** Mistakes of a configuration; `loadConfig` turns them into a `ConfigError`. */
export class MistakeFound extends Error {
  readonly mistakes: readonly Mistake[]
  /** Sentences about mistakes that stand in no key of the file: in an option or an environment variable. */
  readonly sentences: readonly string[]

  constructor(mistakes: readonly Mistake[], sentences: readonly string[] = []) {
    super([...mistakes.map(({ text }) => text), ...sentences].join('\n'))
    this.mistakes = mistakes
    this.sentences = sentences
  }

  static at(path: KeyPath, text: string): MistakeFound {
    return new MistakeFound([{ path, text }])
  }
}

/**
 * The results of all parts.
 * @throws MistakeFound with the mistakes of all parts. Any other error of a part is thrown only if no part has a
 *   mistake: a value of the wrong kind, which is reported elsewhere, may break a part.
 */
export function settleParts<Results extends readonly unknown[]>(parts: {
  readonly [Index in keyof Results]: () => Results[Index]
}): Results {
  const results: unknown[] = []
  const mistakes: Mistake[] = []
  const sentences: string[] = []
  const broken: unknown[] = []
  for (const part of parts) {
    try {
      results.push(part())
    } catch (error) {
      if (error instanceof ConfigError) sentences.push(error.message)
      else if (error instanceof MistakeFound) {
        mistakes.push(...error.mistakes)
        sentences.push(...error.sentences)
      } else broken.push(error)
    }
  }
  if (mistakes.length + sentences.length > 0) throw new MistakeFound(mistakes, sentences)
  if (broken.length > 0) throw broken[0]
  // One result for each part, in the order of the parts.
  return results as unknown as Results
}
