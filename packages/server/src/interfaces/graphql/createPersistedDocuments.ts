import { createHash } from 'node:crypto'
import { BadRequestError, PersistedQueryNotFoundError } from '@attestry/core/errors/apiErrors.ts'
import { createRecentMap } from '@attestry/core/model/recentMap.ts'

/**
 * The documents that clients lately asked for by hash (Apollo's automatic persisted queries). A client sends only the
 * hash, and text and hash if the hash is unknown. Each process that answers learns for itself.
 */
export interface PersistedDocuments {
  /**
   * The text of a request's document.
   * @param query the text that the request has, if any.
   * @param sent `extensions.persistedQuery` of the request.
   * @throws PersistedQueryNotFoundError for the hash of an unknown document without its text.
   * @throws BadRequestError for a malformed hash, or one that is not that of the text.
   */
  resolve(query: string | null, sent: PersistedQuery): string
}

export type PersistedQuery = Readonly<Record<string, unknown>>

/** Characters of the remembered documents: some thousand of usual size. */
const charactersMax = 4 * 1024 * 1024
/** A longer document is sent whole with each request: one alone would take the place of many. */
const documentLengthMax = 256 * 1024

export function createPersistedDocuments(): PersistedDocuments {
  const documents = createRecentMap<string, string>(charactersMax, (text) => text.length)
  return {
    resolve: (query, { version, sha256Hash }) => {
      if (version !== 1) throw new BadRequestError('extensions.persistedQuery.version must be 1.')
      if (typeof sha256Hash !== 'string' || !/^[0-9a-f]{64}$/i.test(sha256Hash)) {
        throw new BadRequestError(
          'extensions.persistedQuery.sha256Hash must be the SHA-256 of query, as 64 hexadecimal digits.',
        )
      }
      const hash = sha256Hash.toLowerCase()
      const known = documents.get(hash)
      if (query === null) {
        if (known === undefined) throw new PersistedQueryNotFoundError()
        return known
      }
      if (known === query) return query
      if (createHash('sha256').update(query).digest('hex') !== hash) {
        throw new BadRequestError('extensions.persistedQuery.sha256Hash is not the SHA-256 of query.')
      }
      if (query.length <= documentLengthMax) documents.set(hash, query)
      return query
    },
  }
}
