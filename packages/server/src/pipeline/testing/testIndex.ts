import { mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { projections } from '@attestry/test/harness/projections.ts'
import type { ChainStatus } from '@attestry/core/model/chainState.ts'
import type { ChainId, LocalId } from '@attestry/core/model/compositeId.ts'
import type { AnchorMade, DomainEvent } from '@attestry/core/model/domainEvent.ts'
import { zeroHash, type Address, type Hash } from '@attestry/core/model/hex.ts'
import { eventPosition, positionBlock, type Position } from '@attestry/core/model/position.ts'
import type { Attestation, Schema } from '@attestry/core/model/records.ts'
import { unixMilliseconds, unixSeconds } from '@attestry/core/model/time.ts'
import { decodeIndexedPayload } from '@attestry/core/protocols/decodeIndexedPayload.ts'
import type { IndexReader } from '@attestry/core/index/indexReader.ts'
import type { StoredRevocation } from '@attestry/core/index/storedRecords.ts'
import type { IndexWriter } from '@attestry/core/index/indexWriter.ts'
import { migrateSqlite } from '@attestry/store/sqlite/migrateSqlite.ts'
import { openSqliteReader } from '@attestry/store/sqlite/openSqliteReader.ts'
import { openSqliteWriter } from '@attestry/store/sqlite/openSqliteWriter.ts'
import { sampleContract } from './sampleRecords.ts'

/** The records of an index. */
export interface IndexContent {
  readonly schemas: readonly Schema[]
  readonly attestations: readonly Attestation[]
  /** By the local id of the attestation. */
  readonly revocations: Readonly<Record<string, StoredRevocation>>
  readonly anchors: readonly SampleAnchors[]
  readonly chains: readonly ChainStatus[]
}

/** Off-chain anchors of one account and kind; the account is null if it is unknown. */
export interface SampleAnchors {
  readonly chainId: ChainId
  readonly anchor: string
  readonly account: Address | null
  readonly count: number
}

/** An index that a test changes between requests: its content, and what goes wrong when it is read. */
export interface TestIndex extends IndexContent {
  /** The result of `indexVersion`. A test moves the version with the content, or on its own. */
  version: number
  schemas: IndexContent['schemas']
  attestations: IndexContent['attestations']
  revocations: IndexContent['revocations']
  anchors: IndexContent['anchors']
  chains: IndexContent['chains']
  /** Every read rejects with this error while it is set. */
  failure: Error | null
  /** The number of reads so far, without reads of the version. */
  readCount: number
  /** Called before each read. */
  onRead: () => void
}

export function createTestIndex(content: Partial<TestIndex> = {}): TestIndex {
  return {
    version: 1,
    schemas: [],
    attestations: [],
    revocations: {},
    anchors: [],
    chains: [],
    failure: null,
    readCount: 0,
    onRead: () => undefined,
    ...content,
  }
}

type TestReader = IndexReader

/** Reads that a test index may fail, by name. */
const reads: Readonly<
  Record<Exclude<keyof TestReader, 'asOf' | 'sharesThread' | 'indexVersion' | 'exportLines' | 'close'>, true>
> = {
  findSchema: true,
  findAttestation: true,
  listSchemas: true,
  listAttestations: true,
  listAttestationSummaries: true,
  listTopSchemas: true,
  listTrendingSchemas: true,
  addressStatistics: true,
  listAgents: true,
  sliceAgents: true,
  findAgents: true,
  listAgentMetadata: true,
  listAgentHistory: true,
  sliceAgentUris: true,
  findGreatestAgent: true,
  listAgentNotes: true,
  countAgentNotes: true,
  searchSchemas: true,
  searchAttestations: true,
  searchAddresses: true,
  searchValues: true,
  listChains: true,
  findSchemas: true,
  findAttestations: true,
  findAttestationOrigins: true,
  findSchemaBlocks: true,
  findStatuses: true,
  findHoldings: true,
  sliceAttestations: true,
  sliceSchemas: true,
  countAttestations: true,
  groupAttestations: true,
  countSchemas: true,
  listTopAttesters: true,
  listActivity: true,
  listTotals: true,
  listProtocolDays: true,
  listRegistered: true,
  findTransaction: true,
  findPresent: true,
  listAnchorCounts: true,
  sliceAnchors: true,
  listAnchors: true,
  findEvent: true,
  findDigest: true,
  findBlock: true,
  locateBlock: true,
  findBlockAt: true,
}

/**
 * Reads a test index from a SQLite database with its present content. A change of the content is read from another
 * database, which is filled at the next read.
 */
export function openTestIndex(index: TestIndex): TestReader {
  return openTestReader(index, (reader) => reader)
}

function openTestReader(index: TestIndex, readerOf: (reader: TestReader) => TestReader): TestReader {
  const read =
    (name: keyof typeof reads) =>
    async (...parameters: readonly unknown[]): Promise<unknown> => {
      // The state of the chains is read by the clock, beside what an answer is made of.
      if (name !== 'listChains') index.readCount++
      index.onRead()
      if (index.failure !== null) throw index.failure
      const reader = readerOf(await openContent(index))
      return await (Reflect.apply(reader[name], reader, parameters) as Promise<unknown>)
    }
  const readNames = Object.keys(reads) as (keyof typeof reads)[]
  return {
    // Each function has the type of the function that it calls.
    ...(Object.fromEntries(readNames.map((name) => [name, read(name)])) as unknown as TestReader),
    // The reader of a past moment has no further reads.
    asOf: (moment) =>
      openTestReader(index, (reader) => readerOf(reader).asOf(moment) as unknown as TestReader),
    sharesThread: true,
    indexVersion: () =>
      index.failure === null ? Promise.resolve(index.version) : Promise.reject(index.failure),
    exportLines: async function* () {
      yield* (await openContent(index)).exportLines()
    },
    close: () => Promise.resolve(),
  }
}

const opened: { readonly content: IndexContent; readonly reader: Promise<TestReader> }[] = []

/** The database with a content. Databases live as long as the process: most tests share one. */
function openContent({
  schemas,
  attestations,
  revocations,
  anchors,
  chains,
}: IndexContent): Promise<TestReader> {
  const content = { schemas, attestations, revocations, anchors, chains }
  const names = Object.keys(content) as (keyof IndexContent)[]
  const known = opened.find((each) => names.every((name) => each.content[name] === content[name]))
  if (known !== undefined) return known.reader
  const reader = createDatabase(content)
  opened.push({ content, reader })
  return reader
}

async function createDatabase(content: IndexContent): Promise<TestReader> {
  const folder = mkdtempSync(join(tmpdir(), 'attestry-api-'))
  const path = join(folder, 'index.db')
  migrateSqlite(path, { projections })
  const writer = openSqliteWriter(path, {
    projections,
    fields: { decodePayload: decodeIndexedPayload, includes: () => true },
  })
  await writeContent(writer, content)
  await writer.close()
  return openSqliteReader(path, { decodePayload: decodeIndexedPayload, projections })
}

/** When the records of each kind are stored. */
const storedAtMs: Readonly<Record<string, number>> = {
  schemaRegistered: 1_700_000_000_123,
  attestationMade: 1_700_000_000_456,
  attestationRevoked: 1_700_000_000_789,
}

/** Brings a store to hold a content. */
export async function writeContent(writer: IndexWriter, content: IndexContent): Promise<void> {
  const events = [...eventsOf(content)]
  const chainIds = new Set([...events, ...content.chains].map(({ chainId }) => chainId))
  for (const chainId of chainIds) {
    const status = content.chains.find((chain) => chain.chainId === chainId)
    const ofChain = events.filter((each) => each.chainId === chainId).map(({ event }) => event)
    const protocols = status?.protocols ?? ['sign']
    const contracts = protocols.map((protocol) => ({
      protocol,
      address: sampleContract,
      schemaRegistry: null,
      startBlock: 0,
    }))
    await writer.openChain({ chainId, name: status?.name ?? `Chain ${chainId}`, contracts })
    await writeEvents(writer, chainId, ofChain, status)
    if (status !== undefined) await writer.saveChainStatus(status)
  }
}

/** One batch for each run of events of a kind: the kinds are stored at different times. */
async function writeEvents(
  writer: IndexWriter,
  chainId: ChainId,
  events: readonly DomainEvent[],
  status: ChainStatus | undefined,
): Promise<void> {
  const batches: DomainEvent[][] = []
  for (const event of events.toSorted((a, b) => a.position - b.position)) {
    const last = batches.at(-1)
    if (last?.[0]?.kind === event.kind) last.push(event)
    else batches.push([event])
  }
  let fromBlock = 0
  const apply = async (blockNumber: number, timestamp: number | null, batch: readonly DomainEvent[]) => {
    await writer.applyBlocks(chainId, {
      fromBlock,
      checkpoint: { blockNumber, timestamp },
      events: batch,
      recentBlocks: [],
      forgetBlocksBelow: 0,
      storedAt: unixMilliseconds(storedAtMs[batch[0]?.kind ?? ''] ?? 1_700_000_000_000),
    })
    fromBlock = blockNumber + 1
  }
  for (const batch of batches)
    await apply(positionBlock(batch.at(-1)?.position ?? eventPosition(0, 0)), null, batch)
  const indexedBlock = status?.indexedBlock ?? null
  if (indexedBlock !== null && indexedBlock >= fromBlock) {
    await apply(indexedBlock, status?.indexedTimestamp ?? null, [])
  }
}

/** The events that make a content. */
function* eventsOf(
  content: IndexContent,
): Generator<{ readonly chainId: ChainId; readonly event: DomainEvent }> {
  for (const schema of content.schemas) {
    const { position } = schema
    yield { chainId: schema.key.chainId, event: { kind: 'schemaRegistered', position, schema } }
  }
  const chainOf = new Map<LocalId, ChainId>()
  for (const attestation of content.attestations) {
    const { position, key } = attestation
    chainOf.set(key.localId, key.chainId)
    yield { chainId: key.chainId, event: { kind: 'attestationMade', position, attestation } }
  }
  const revocations = Object.entries(content.revocations) as [LocalId, StoredRevocation][]
  for (const [order, [localId, revocation]] of revocations.entries()) {
    const chainId = chainOf.get(localId)
    const protocol = content.attestations.find(({ key }) => key.localId === localId)?.protocol
    if (chainId === undefined || protocol === undefined) continue
    yield {
      chainId,
      event: {
        kind: 'attestationRevoked',
        position: revocationPosition(order),
        protocol,
        localId,
        reason: revocation.reason,
        timestamp: unixSeconds(Number(revocation.timestamp)),
        transactionHash: revocation.transactionHash as Hash,
      },
    }
  }
  let block = 90_000
  for (const { chainId, anchor, account, count } of content.anchors) {
    for (let i = 0; i < count; i++) {
      const event: AnchorMade = {
        kind: 'anchorMade',
        position: eventPosition(block++, 0),
        protocol: 'sign',
        anchor,
        account,
        value: zeroHash,
        timestamp: unixSeconds(1_700_000_000 + block),
        transactionHash: zeroHash,
        reason: '',
      }
      yield { chainId, event }
    }
  }
}

/** The positions of the revocations, one in each block after the blocks of the records. */
export function revocationPosition(order: number): Position {
  return eventPosition(80_000 + order, 0)
}
