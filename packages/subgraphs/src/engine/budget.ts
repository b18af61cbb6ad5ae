import { BadParameterError } from '@attestry/core/errors/apiErrors.ts'
import type { Effort } from '@attestry/server/pipeline/effort/createEffort.ts'
import type { OpenWork } from '@attestry/server/pipeline/limits/heavyWork.ts'

/**
 * Limits of the cost of one request: the default, the largest value, and what is limited. The interface has no largest
 * page, so the limits count the rows that are really read; an answer is never cut. By default the document may hold
 * lists of a thousand ids, and the 27 roots that clients write into one.
 */
export const readLimitKeys = {
  bodyBytes: [512 * 1024, 64 * 1024 * 1024, 'Bytes of a body.'],
  tokens: [20_000, 10_000_000, 'Tokens of a document.'],
  depth: [12, 100, 'Fields in one another.'],
  aliases: [100, 100_000, 'Aliases of a document.'],
  rootFields: [50, 100_000, 'Fields at the root of a document.'],
  fields: [2_000, 1_000_000, 'Fields of a document, once its fragments are spread.'],
  rows: [50_000, 1_000_000_000, 'Rows that one request reads.'],
  characters: [64 * 1024 * 1024, 2 ** 40, 'Characters of these rows, and of payloads in the answer.'],
  passes: [10, 1_000_000, 'Stretches of rows that the index passes over in vain.'],
  comparedCharacters: [
    256 * 1024 * 1024,
    2 ** 40,
    'Characters that patterns such as contains are held against.',
  ],
} as const

export type ReadLimits = Readonly<Record<keyof typeof readLimitKeys, number>>

export const defaultReadLimits = Object.fromEntries(
  Object.entries(readLimitKeys).map(([name, [value]]) => [name, value]),
) as ReadLimits

/** The effort of a request, with the memory that it holds. */
export interface RequestEffort extends Effort, Pick<OpenWork, 'hold'> {}

/** Counts the cost of one request. Each method throws a BadParameterError once the request has cost too much. */
export interface Budget {
  /**
   * Rows that were read; other requests get a turn now and then. Long rows are held as heavy work, for which the request
   * may have to wait.
   * @param sizeOf the characters of a row that count; none by default.
   */
  readRows<Row>(rows: readonly Row[], sizeOf?: (row: Row) => number): Promise<void>
  write(characters: number): void
  pass(): void
  compare(characters: number): void
  /** The rows that match; other requests get a turn between them. */
  filter<Row>(rows: readonly Row[], isMatch: (row: Row) => boolean): Promise<Row[]>
  /** To be called before other long work, such as decoding. */
  pause: Effort['pause']
  /** Resolves a field that makes reads of its own, once few others of the request do. */
  begin: Effort['begin']
}

/** Characters of rows of which many may be held. */
const shortMax = 16 * 1024

/** A character of a row is held as it was read, in the text of the answer, and as it is sent. */
const heldPerCharacter = 3

function sum(numbers: readonly number[]): number {
  return numbers.reduce((all, each) => all + each, 0)
}

/** @param advice how to ask for less, for the error of a request that would read too much. */
export function createBudget(
  limits: ReadLimits,
  advice: string,
  effort: Pick<RequestEffort, 'pause' | 'begin' | 'hold'>,
): Budget {
  let [rows, characters, passes, compared] = [0, 0, 0, 0]
  let refusal: Error | null = null
  // One error for all: the fields that are left may be a hundred thousand.
  const check = (actual: number, limit: keyof ReadLimits, what: string) => {
    if (actual <= limits[limit]) return
    refusal ??= new BadParameterError(
      `This request would read more than ${limits[limit].toLocaleString('en')} ${what} (limit ${limit}); ${advice}.`,
    )
    throw refusal
  }
  const write = (count: number) => {
    characters += count
    check(characters, 'characters', 'characters of records')
  }
  return {
    async readRows(read, sizeOf = () => 0) {
      rows += read.length
      check(rows, 'rows', 'rows')
      const sizes = read.map(sizeOf)
      write(sum(sizes))
      const long = sum(sizes.filter((size) => size > shortMax))
      if (long > 0) await effort.hold(long * heldPerCharacter)
      await effort.pause()
    },
    write,
    pass() {
      passes += 1
      check(passes, 'passes', 'stretches of rows in vain')
    },
    compare(count) {
      compared += count
      check(compared, 'comparedCharacters', 'characters for patterns')
    },
    async filter(rows, isMatch) {
      const matching: (typeof rows)[number][] = []
      for (const row of rows) {
        // A condition may have ten thousand parts. A pause that waits for nothing takes about a microsecond.
        const paused = effort.pause()
        if (paused !== undefined) await paused
        if (isMatch(row)) matching.push(row)
      }
      return matching
    },
    pause: effort.pause,
    begin: effort.begin,
  }
}
