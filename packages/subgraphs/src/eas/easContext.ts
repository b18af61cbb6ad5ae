import type { OffchainStorage } from '@attestry/trust/offchain/offchainStorage.ts'
import type DataLoader from 'dataloader'
import type { ChainId, LocalId } from '@attestry/core/model/compositeId.ts'
import type { Hex } from '@attestry/core/model/hex.ts'
import { createRecentMap, type RecentMap } from '@attestry/core/model/recentMap.ts'
import type { RowPlace, StoredSchema } from '@attestry/core/index/storedRecords.ts'
import { easInterface } from '@attestry/core/protocols/eas/easInterface.ts'
import type { ApiContext } from '@attestry/server/apiContext.ts'
import { readWithin } from '@attestry/server/pipeline/effort/readWithin.ts'
import { createTotals, type CountRows } from '@attestry/server/interfaces/graphql/createTotals.ts'
import { createBudget, type Budget, type ReadLimits, type RequestEffort } from '../engine/budget.ts'
import type { ProtocolChain } from '../engine/serveDialect.ts'
import { createLoader, keyOf, sizeOfSchema, type ReadingById } from '../engine/readByIds.ts'

export interface EasServices extends Pick<ApiContext, 'reader' | 'decodePayload' | 'names'> {
  /** The store of off-chain attestations; null if nothing is stored. */
  readonly storage: OffchainStorage | null
  readonly protocol: typeof easInterface
  readonly limits: ReadLimits
  /** By the uids of schemas, each of which is the hash of its text: an entry never changes. */
  readonly formats: RecentMap<LocalId, (data: Hex) => string>
  /** Whether schemas of a chain have senders of transactions, as far as they were looked through. */
  readonly senders: Map<ChainId, { readonly after: RowPlace | null; readonly isKnown: boolean }>
}

const advice =
  'narrow where by id, schemaId, attester, recipient, refUID or time, or ask for less with take and skip'

/** Schemas whose formats are kept. */
const formatsMax = 2_000

export function createEasServices(
  services: Omit<EasServices, 'protocol' | 'formats' | 'senders'>,
): EasServices {
  return { ...services, protocol: easInterface, formats: createRecentMap(formatsMax), senders: new Map() }
}

/** The state that the resolvers of one request share. */
export interface EasContext extends Omit<EasServices, 'storage' | 'names'>, Pick<ReadingById, 'newest'> {
  /**
   * The store of off-chain attestations, as in `EasServices`; null also where the client may not read what is stored.
   * Notes that the answer depends on the store.
   */
  readonly askStorage: () => EasServices['storage']
  /** The names of ENS, as in `EasServices`; notes that the answer depends on ENS. */
  readonly askNames: () => EasServices['names']
  readonly chain: ProtocolChain
  readonly budget: Budget
  readonly schemas: Pick<DataLoader<LocalId, StoredSchema | null>, 'load' | 'loadMany'>
  /** The removals of schema names (`schemaNames.ts`), read once in a request; null: not yet asked for. */
  readonly removals: { found: Promise<ReadonlyMap<string, number>> | null }
  /** Counts rows, within bounds for all of one request. */
  readonly countRows: CountRows
  /** Whether anything has asked the store or ENS: answers are kept by the version of the index, which counts neither. */
  readonly usedClock: () => boolean
}

export function createEasContext(
  services: EasServices,
  chain: ProtocolChain,
  effort: RequestEffort,
): EasContext {
  const { storage, names, ...shared } = services
  const reader = readWithin(services.reader, effort)
  const budget = createBudget(services.limits, advice, effort)
  let usedClock = false
  return {
    ...shared,
    askStorage: () => {
      usedClock ||= storage !== null
      return storage?.mayRead() === true ? storage : null
    },
    askNames: () => {
      usedClock ||= names.change
      return names
    },
    usedClock: () => usedClock,
    reader,
    newest: reader,
    chain,
    budget,
    schemas: createLoader(async (ids: readonly LocalId[]) => {
      const found = await reader.findSchemas(ids.map((id) => keyOf({ chain, protocol: easInterface }, id)))
      await budget.readRows(
        found.filter((schema) => schema !== null),
        sizeOfSchema,
      )
      return found
    }),
    removals: { found: null },
    countRows: createTotals(),
  }
}

/** The format of payloads under a schema. */
export function formatOf(
  { formats, protocol }: Pick<EasServices, 'formats' | 'protocol'>,
  localId: LocalId,
  schema: StoredSchema,
): (data: Hex) => string {
  const known = formats.get(localId)
  if (known !== undefined) return known
  const format = protocol.decodedDataFormat(schema.rawText)
  formats.set(localId, format)
  return format
}
