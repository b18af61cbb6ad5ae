/**
 * Why a file cannot be read, as the end of a sentence.
 * @param advice the end of the sentence by codes of the operating system: what is wanted instead.
 */
export function describeReadFailure(error: unknown, advice: Readonly<Record<string, string>>): string {
  const code = error instanceof Error && 'code' in error ? String(error.code) : ''
  if (code === 'EACCES' || code === 'EPERM') return 'cannot be read by this user; give its reader permission'
  return advice[code] ?? `cannot be read (${code})`
}
