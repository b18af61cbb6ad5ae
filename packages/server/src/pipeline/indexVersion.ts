import { BadRequestError, VersionNotReachedError } from '@attestry/core/errors/apiErrors.ts'
import { type PastReader, sharedVersion } from '@attestry/core/index/indexReader.ts'
import { quoteInput } from './quoteInput.ts'

/**
 * The index version in headers (docs/api.md, "Read what you wrote"): the same in every process that serves the index.
 */

/** Of answers: the answer is of this version or newer. */
export const versionHeader = 'x-attestry-version'

/** Of requests: the answer must be of this version or newer. */
export const minimumVersionHeader = 'if-attestry-version-at-least'

/** @param version of `PastReader.indexVersion`. */
export function formatVersion(version: number): string {
  return String(sharedVersion(version))
}

/**
 * Makes sure that the index has reached the version that a client has seen. Every read that follows is of the version
 * read here or newer, whichever process makes it.
 * @throws BadRequestError, VersionNotReachedError
 */
export async function checkMinimumVersion(
  reader: Pick<PastReader, 'indexVersion'>,
  header: string,
): Promise<void> {
  const wanted = /^[0-9]{1,15}$/.test(header) ? Number(header) : null
  if (wanted === null) {
    throw new BadRequestError(
      `If-Attestry-Version-At-Least must be the X-Attestry-Version of an answer, a whole number; it was ${quoteInput(header)}.`,
    )
  }
  const version = sharedVersion(await reader.indexVersion())
  if (version >= wanted) return
  throw new VersionNotReachedError(
    `The index is at version ${version}, older than the version ${wanted} that If-Attestry-Version-At-Least asks for; ask ` +
      'again if replicas answer, and leave the header out if the database was replaced or has lost its last commits.',
  )
}
