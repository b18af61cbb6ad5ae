import type { Hex } from '../../model/hex.ts'
import { AbiReader } from './abiReader.ts'

/** Reads the indexed values of a log. Each is a separate word, so one reader can read all of them. */
export function topicReader(topics: readonly Hex[]): AbiReader {
  const digits = topics.slice(1).map((topic) => topic.slice(2))
  return new AbiReader(`0x${digits.join('')}` as Hex)
}

/** The strings at these tails, in their order. */
export function readStrings(data: AbiReader, tails: readonly number[]): readonly string[] {
  return tails.map((tail) => {
    data.tail(tail)
    return data.string()
  })
}

/** The problem with the values of a log after all were read, as part of a sentence; null if there is no problem. */
export function problemOf(topics: AbiReader, data: AbiReader | null): string | null {
  const problem = topics.finish()
  return problem === null ? (data?.finish() ?? null) : `in the indexed values ${problem}`
}
