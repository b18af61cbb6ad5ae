import type { IncomingMessage } from 'node:http'
import { KeyRequiredError } from '@attestry/core/errors/apiErrors.ts'
import type { OffchainQuota, OffchainStore } from '../offchainStore/offchainStore.ts'
import { presentAsker, type Asker, type FindAsker } from '@attestry/core/shares/askers.ts'
import type { FindKey } from '@attestry/server/pipeline/access/apiKeys.ts'

/** The store of off-chain attestations and who may write to it, as the operator decides. */
export interface OffchainStorageOptions {
  readonly store: OffchainStore
  /** The names of the keys that may store; `anyone`: also requests without a key. */
  readonly writers: ReadonlySet<string> | 'anyone'
  readonly quota: OffchainQuota
}

export interface OffchainStorage extends OffchainStorageOptions {
  readonly findKey: FindKey
  /** Whether the client on whose behalf the present work is done may read what is stored. */
  readonly mayRead: () => boolean
  readonly askerOf: FindAsker
}

/** Writes, and the reads of only the command line. */
type OffchainWrites = Pick<OffchainStore, 'add' | 'revoke' | 'remove' | 'bury' | 'list' | 'close'>

/**
 * The store as a server uses it.
 * @param isPrivate whether reads need a key. All interfaces read by this store, so that none of them shows its records to
 *   a client without a key: such a read rejects with KeyRequiredError.
 */
export function openStorage(
  options: OffchainStorageOptions,
  { findKey, askerOf }: Pick<OffchainStorage, 'findKey' | 'askerOf'>,
  isPrivate: boolean,
): OffchainStorage {
  const mayRead = () => !isPrivate || presentAsker()?.hasKey !== false
  const { store } = options
  if (!isPrivate) return { ...options, findKey, askerOf, mayRead }

  function keyed<Given extends unknown[], Found>(read: (...given: Given) => Promise<Found>) {
    return async (...given: Given): Promise<Found> => {
      if (mayRead()) return await read(...given)
      throw new KeyRequiredError(
        'Off-chain attestations need a key of the operator here; send one in the header x-api-key.',
      )
    }
  }
  // The type names every read: one that is added to the store has to be added here.
  const reads: Omit<OffchainStore, keyof OffchainWrites> = {
    find: keyed(store.find),
    signersOf: keyed(store.signersOf),
    findSequences: keyed(store.findSequences),
    count: keyed(store.count),
    slice: keyed(store.slice),
    slicePlaces: keyed(store.slicePlaces),
    readHeads: keyed(store.readHeads),
    read: keyed(store.read),
  }
  return { ...options, store: { ...store, ...reads }, findKey, askerOf, mayRead }
}

/** The client that stores. */
export interface Writer {
  /** The name under which is stored. */
  readonly name: string
  /** As quotas tell writers apart. */
  readonly asker: Asker
}

/**
 * The client that stores by a request.
 * @throws KeyRequiredError
 */
export function writerOf(storage: OffchainStorage, request: IncomingMessage): Writer {
  const name = nameOf(storage, request)
  return { name: name ?? 'anyone', asker: storage.askerOf(request) }
}

/** The name of the key; null for a request without one where anyone may store. */
function nameOf({ writers, findKey }: OffchainStorage, request: IncomingMessage): string | null {
  const key = findKey(request)
  if (writers === 'anyone') return key?.name ?? null
  if (key !== null && writers.has(key.name)) return key.name
  throw new KeyRequiredError(
    key === null
      ? 'Storing needs a key of the operator; send one in the header x-api-key or x-sign-api-key.'
      : 'This key may not store; its operator can name it in offchain.keys.',
  )
}
