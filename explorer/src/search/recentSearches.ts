/** Recent searches of this browser, newest first. They are never sent anywhere. */

const key = 'attestry.recentSearches'
const keptMax = 6

export function readRecentSearches(): readonly string[] {
  try {
    return parseRecentSearches(localStorage.getItem(key))
  } catch {
    return []
  }
}

export function keepRecentSearch(keyword: string): void {
  try {
    localStorage.setItem(key, JSON.stringify(withRecentSearch(readRecentSearches(), keyword)))
  } catch {
    // Storage may be full or forbidden; then nothing is remembered.
  }
}

/** The list with a search moved or added to its head. */
export function withRecentSearch(earlier: readonly string[], keyword: string): readonly string[] {
  const text = keyword.trim()
  if (text === '') return earlier
  return [text, ...earlier.filter((each) => each !== text)].slice(0, keptMax)
}

/** Storage can hold anything: a value that is not a list of texts counts as no searches. */
export function parseRecentSearches(stored: string | null): readonly string[] {
  if (stored === null) return []
  try {
    const value: unknown = JSON.parse(stored)
    if (!Array.isArray(value)) return []
    return value.filter((each): each is string => typeof each === 'string').slice(0, keptMax)
  } catch {
    return []
  }
}
