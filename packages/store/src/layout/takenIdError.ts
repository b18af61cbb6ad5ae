import { StoreInvariantError } from '@attestry/core/errors/storeErrors.ts'

/** The error for a record whose id is taken: two contracts of one chain that hand out the same ids, usually. */
export function takenIdError(
  what: 'schema' | 'attestation',
  localId: string,
  cause?: unknown,
): StoreInvariantError {
  return new StoreInvariantError(
    `the ${what} ${localId} is indexed already: its id names two records of one chain`,
    {
      facts: { localId },
      ...(cause === undefined ? {} : { cause }),
    },
  )
}
