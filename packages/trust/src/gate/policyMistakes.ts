import type { NoteMistake, Path } from '@attestry/server/pipeline/parameters/readFieldConditions.ts'

/** The path of a mistake in a policy, and a clause that says what would be right: `must be …`. */
export interface PolicyMistake {
  readonly path: Path
  readonly text: string
}

/** A policy cannot be used: all of its mistakes. */
export class PolicyMistakes extends Error {
  readonly mistakes: readonly PolicyMistake[]

  constructor(mistakes: readonly PolicyMistake[]) {
    super(mistakes.map(({ path, text }) => `${formatPath(path)} ${text}`).join('; '))
    this.mistakes = mistakes
  }
}

/** Most reported mistakes of one policy: strangers send policies too, and a message lists them all. */
const mistakesMax = 20

/** Collects the first mistakes, one for each place. */
export function collectMistakes(): {
  readonly mistakes: readonly PolicyMistake[]
  readonly note: NoteMistake
} {
  const mistakes: PolicyMistake[] = []
  const places = new Set<string>()
  return {
    mistakes,
    note: (path, text) => {
      const place = formatPath(path)
      if (mistakes.length < mistakesMax && !places.has(place)) {
        places.add(place)
        mistakes.push({ path, text })
      }
      return null
    },
  }
}

/** The path of a value as people write it: `policy.all[0].holds.attester`. */
export function formatPath(path: Path): string {
  return path.reduce<string>((text, part) => {
    if (typeof part === 'number') return `${text}[${part}]`
    return text === '' ? part : `${text}.${part}`
  }, '')
}
