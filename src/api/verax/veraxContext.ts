import DataLoader from 'dataloader'
import type { LocalId, RecordKey } from '../../model/compositeId.ts'
import type { Hex } from '../../model/hex.ts'
import type { Recipient } from '../../model/records.ts'
import type { StoredSchema } from '../../store/indexReader.ts'
import type { ApiContext } from '../addEndpoint.ts'
import { createBudget, type Budget, type EasLimits } from '../eas/budget.ts'
import { keysMax, type EasChain } from '../eas/easContext.ts'
import { createTotals, type CountRows } from '../graphql/createTotals.ts'

/** What the API has to be told of Verax: it knows no protocol. */
export interface VeraxProtocol {
  /** The name under which Verax is indexed. */
  readonly name: string
  /** The recipient that the bytes of a subject stand for; null for none. */
  readonly decodeSubject: (bytes: Hex) => Recipient | null
}

type VeraxServices = Pick<ApiContext, 'reader' | 'queries' | 'decodePayload'> & {
  readonly protocol: VeraxProtocol
  readonly limits: EasLimits
}

/** The state that the resolvers of one request share. */
export interface VeraxContext extends VeraxServices {
  readonly chain: EasChain
  readonly budget: Budget
  readonly schemas: Pick<DataLoader<LocalId, StoredSchema | null>, 'load' | 'loadMany'>
  /** Counts rows, within bounds for all of one request. */
  readonly countRows: CountRows
  readonly usedClock: false
}

export function createVeraxContext(services: VeraxServices, chain: EasChain): VeraxContext {
  const keyOf = (localId: LocalId): RecordKey => ({
    chainId: chain.chainId,
    protocol: services.protocol.name,
    localId,
  })
  return {
    ...services,
    chain,
    budget: createBudget(services.limits),
    schemas: new DataLoader<LocalId, StoredSchema | null>(
      (ids) => services.queries.findSchemas(ids.map(keyOf)),
      { maxBatchSize: keysMax },
    ),
    countRows: createTotals(),
    usedClock: false,
  }
}
