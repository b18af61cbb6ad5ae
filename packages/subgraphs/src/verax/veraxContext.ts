import DataLoader from 'dataloader'
import { StoreTooMuchWorkError } from '@attestry/core/errors/storeErrors.ts'
import type { ChainId, LocalId } from '@attestry/core/model/compositeId.ts'
import type { Address, Hash, Hex } from '@attestry/core/model/hex.ts'
import type { Recipient } from '@attestry/core/model/records.ts'
import { everyAttestation } from '@attestry/core/index/indexQueries.ts'
import type { AttestationOrigin, StoredSchema } from '@attestry/core/index/storedRecords.ts'
import type { IndexReader, PastReader } from '@attestry/core/index/indexReader.ts'
import type { ApiContext } from '@attestry/server/apiContext.ts'
import { openView } from '@attestry/server/pipeline/asOf/openView.ts'
import type { ResolvedBlock } from '@attestry/server/pipeline/asOf/resolveBlock.ts'
import { readWithin } from '@attestry/server/pipeline/effort/readWithin.ts'
import { createBudget, type Budget, type ReadLimits, type RequestEffort } from '../engine/budget.ts'
import type { ProtocolChain } from '../engine/serveDialect.ts'
import { createLoader, keyOf, type ReadingById } from '../engine/readByIds.ts'
import { createTotals } from '@attestry/server/interfaces/graphql/createTotals.ts'

/** The facts of Verax that the API, which knows no protocol, needs. */
export interface VeraxProtocol {
  /** The name under which Verax is indexed. */
  readonly name: string
  /** Chains by the names that paths have for them. */
  readonly networks: ReadonlyMap<string, ChainId>
  /** The recipient that the bytes of a subject stand for; null for none. */
  readonly decodeSubject: (bytes: Hex) => Recipient | null
}

type VeraxServices = Pick<ApiContext, 'reader' | 'readHeader' | 'now' | 'decodePayload'> & {
  readonly protocol: VeraxProtocol
  readonly limits: ReadLimits
}

/** The state that the resolvers of one request share. */
export interface VeraxContext extends Omit<VeraxServices, 'reader'>, Pick<ReadingById, 'newest'> {
  readonly reader: PastReader
  readonly chain: ProtocolChain
  readonly budget: Budget
  readonly schemas: Pick<DataLoader<LocalId, StoredSchema | null>, 'load' | 'loadMany'>
  readonly origins: Pick<DataLoader<LocalId, AttestationOrigin | null>, 'load'>
  /** The blocks in which schemas were registered. */
  readonly schemaBlocks: Pick<DataLoader<LocalId, number | null>, 'load'>
  /** The attestations of each portal, counted once in a request; null if counting would take too long. */
  readonly portalCounts: Pick<DataLoader<Address, number | null>, 'load'>
  readonly usedClock: () => false
  /** The last block that counts; null: the newest state. */
  readonly past: ResolvedBlock | null
  /**
   * The same as of a block.
   * @throws as `resolveBlock`.
   */
  readonly at: (block: number | Hash) => Promise<VeraxContext>
}

const advice =
  'narrow where by id, schema, portal, attester, subject or attestedDate, or ask for less with first and skip'

/** The parts that all states of the index within a request share. */
type SharedParts = Pick<VeraxContext, 'budget' | 'at'> & { readonly newest: IndexReader }

export function createVeraxContext(
  given: VeraxServices,
  chain: ProtocolChain,
  effort: RequestEffort,
): VeraxContext {
  const opened = new Map<number | Hash, Promise<VeraxContext>>()
  const shared: SharedParts = {
    newest: readWithin(given.reader, effort),
    budget: createBudget(given.limits, advice, effort),
    at: (block) => {
      const found = opened.get(block) ?? open(block)
      opened.set(block, found)
      return found
    },
  }
  async function open(block: number | Hash): Promise<VeraxContext> {
    const { chainId } = chain
    const asOf = { kind: 'block', chainId, block } as const
    const { reader, past } = await openView(given, { asOf, chainIds: [chainId] })
    return contextOf(given, readWithin(reader, effort), chain, shared, past?.blocks[0] ?? null)
  }
  return contextOf(given, shared.newest, chain, shared, null)
}

function contextOf(
  services: VeraxServices,
  reader: PastReader,
  chain: ProtocolChain,
  shared: SharedParts,
  past: ResolvedBlock | null,
): VeraxContext {
  const { protocol } = services
  const keysOf = (ids: readonly LocalId[]) => ids.map((id) => keyOf({ chain, protocol }, id))
  const countRows = createTotals()
  const countOfPortal = async (portal: Address): Promise<number | null> => {
    const filter = { ...everyAttestation, chainId: chain.chainId, protocol: protocol.name, portal }
    try {
      return await countRows(() => reader.countAttestations(filter))
    } catch (error) {
      if (error instanceof StoreTooMuchWorkError) return null
      throw error
    }
  }
  return {
    ...services,
    ...shared,
    reader,
    chain,
    past,
    schemas: createLoader((ids: readonly LocalId[]) => reader.findSchemas(keysOf(ids))),
    origins: createLoader((ids: readonly LocalId[]) => reader.findAttestationOrigins(keysOf(ids))),
    schemaBlocks: createLoader((ids: readonly LocalId[]) => reader.findSchemaBlocks(keysOf(ids))),
    portalCounts: new DataLoader<Address, number | null>((portals) =>
      Promise.all(portals.map(countOfPortal)),
    ),
    usedClock: () => false,
  }
}
