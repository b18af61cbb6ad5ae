import type { IncomingMessage } from 'node:http'
import { KeyRequiredError } from '../../errors/apiErrors.ts'
import type { OffchainQuota, OffchainStore } from '../../offchainStore/offchainStore.ts'
import type { FindKey } from '../../http/access/apiKeys.ts'

/** The store of off-chain attestations and who may write to it, as the operator decides. */
export interface OffchainStorageOptions {
  readonly store: OffchainStore
  /** The names of the keys that may store; `anyone`: also requests without a key. */
  readonly writers: ReadonlySet<string> | 'anyone'
  readonly quota: OffchainQuota
}

export interface OffchainStorage extends OffchainStorageOptions {
  readonly findKey: FindKey
}

/**
 * The name under which a request stores.
 * @throws KeyRequiredError
 */
export function writerOf({ writers, findKey }: OffchainStorage, request: IncomingMessage): string {
  const key = findKey(request)
  if (writers === 'anyone') return key?.name ?? 'anyone'
  if (key !== null && writers.has(key.name)) return key.name
  throw new KeyRequiredError(
    key === null
      ? 'Storing needs a key of the operator; send one in the header x-api-key or x-sign-api-key.'
      : 'This key may not store; its operator can name it in offchain.keys.',
  )
}
