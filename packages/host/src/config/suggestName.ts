import { editDistance } from '@attestry/core/model/editDistance.ts'

/** The name that `text` most likely misspells; null when none is near. */
export function suggestName(text: string, names: readonly string[]): string | null {
  let best: string | null = null
  // Up to a third of the letters may be wrong: beyond, a suggestion would be a guess.
  let bestDistance = Math.max(1, Math.floor(text.length / 3)) + 1
  for (const name of names) {
    const distance = editDistance(text.toLowerCase(), name.toLowerCase())
    if (distance < bestDistance) {
      best = name
      bestDistance = distance
    }
  }
  return best
}
