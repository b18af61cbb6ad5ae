import { setImmediate as nextTurn } from 'node:timers/promises'
import type { ChainId, LocalId } from '@attestry/core/model/compositeId.ts'
import {
  eventPosition,
  positionsPerBlock,
  positionBlock,
  type Position,
} from '@attestry/core/model/position.ts'
import type { ProtocolName } from '@attestry/core/model/records.ts'
import type { AuditedChain, Difference, IndexAudit } from '@attestry/core/index/indexAudit.ts'
import type { StoredEvent } from '@attestry/core/index/indexRestore.ts'
import { positionMask, rowIdsAbove } from '../layout/rowId.ts'
import type { Reads } from '../port/reads.ts'
import type { AuditedDatabase, AuditSnapshot } from '../port/shadow.ts'
import type { EventRange } from '../transfer/eventLines.ts'
import { findChainRow } from '../writing/chainRow.ts'
import { readContracts, readRecentBlocks } from '../writing/openChain.ts'
import { compareTables } from './compareTables.ts'
import { progressContradictions } from './progressContradictions.ts'
import { fillShadowIndex, readStoredEvents, wholeChains, type Readings } from './shadowIndex.ts'

/** Opens an audit of a database as it is now. The stored tables are only read; the shadow takes as much room again. */
export function openIndexAudit(
  { openSnapshot, translateError }: AuditedDatabase,
  readings: Readings,
): IndexAudit {
  const opening = openSnapshot()
  opening.catch(() => undefined)

  async function translated<Result>(work: (reads: Reads) => Promise<Result>): Promise<Result> {
    try {
      return await work((await opening).reads)
    } catch (error) {
      throw translateError(error)
    }
  }

  async function* iterated<Item>(
    items: (snapshot: AuditSnapshot) => AsyncIterable<Item>,
  ): AsyncGenerator<Item> {
    try {
      yield* items(await opening)
    } catch (error) {
      throw translateError(error)
    }
  }

  return {
    listChains: () =>
      translated(async (reads) => {
        const chains: AuditedChain[] = []
        for (const { chainId } of await wholeChains(reads)) chains.push(await auditedChain(reads, chainId))
        return chains
      }),
    findContradictions: () => iterated((snapshot) => findContradictions(snapshot, readings)),
    readEvents: (chainId, fromBlock, toBlock) =>
      iterated(({ reads }) => readEvents(reads, chainId, fromBlock, toBlock)),
    sampleRecords: (chainId, count, random) =>
      translated((reads) => sampleRecords(reads, chainId, count, random)),
    sampleBornRevoked: (chainId, count, random) =>
      translated((reads) => sampleBornRevoked(reads, chainId, count, random)),
    listLocalIds: (chainId, protocol, what) =>
      iterated(({ reads }) => listLocalIds(reads, chainId, protocol, what)),
    close: async () => {
      const opened = await opening.catch(() => null)
      await opened?.close()
    },
  }
}

/** Cheap checks come first: if the file itself is damaged, all other differences follow from that. */
async function* findContradictions(snapshot: AuditSnapshot, readings: Readings): AsyncGenerator<Difference> {
  const { reads } = snapshot
  yield* snapshot.findDamage()
  for (const range of await wholeChains(reads)) {
    const { progress } = await auditedChain(reads, range.chainId)
    yield* progressContradictions(range.chainId, progress, await newestEventBlock(reads, range))
  }
  yield* compareTables(await fillShadowIndex(await snapshot.openShadow(), readings))
}

async function auditedChain(reads: Reads, chainId: ChainId): Promise<AuditedChain> {
  const row = await findChainRow(reads, chainId)
  const name = await reads.get<[string]>('SELECT name FROM chain WHERE chain_id = ?', chainId)
  return {
    identity: { chainId, name: name?.[0] ?? '', contracts: await readContracts(reads, chainId) },
    progress: {
      checkpoint:
        row === null || row.checkpointBlock === null
          ? null
          : { blockNumber: row.checkpointBlock, timestamp: row.checkpointTimestamp },
      rewindTo: row?.rewindTo ?? null,
      recentBlocks: await readRecentBlocks(reads, chainId),
    },
  }
}

/** The newest block with an event of the chain; -1 if there is no event. */
async function newestEventBlock(reads: Reads, { chainId, ordinal }: EventRange): Promise<number> {
  const { first, last } = rowIdsAbove(ordinal, -1)
  const newestOf = (column: 'id' | 'revoked_id', table: string) =>
    reads.get<[number | null]>(
      `SELECT max(${column}) & ${positionMask} FROM ${table} WHERE ${column} BETWEEN ? AND ?`,
      first,
      last,
    )
  const found = [
    await newestOf('id', 'attestation'),
    await newestOf('revoked_id', 'attestation'),
    await newestOf('id', 'anchor'),
    await newestOf('id', 'metadata'),
    await newestOf('id', 'undecodable'),
    await reads.get<[number | null]>(
      `SELECT max(position) FROM schema WHERE ${reads.dialect.flag('registered', true)} AND chain_id = ?`,
      chainId,
    ),
  ]
  const position = Math.max(...found.map((row) => row?.[0] ?? -1))
  return position < 0 ? -1 : positionBlock(position as Position)
}

async function* readEvents(
  reads: Reads,
  chainId: ChainId,
  fromBlock: number,
  toBlock: number,
): AsyncGenerator<StoredEvent> {
  const chain = await findChainRow(reads, chainId)
  if (chain === null) return
  const first = eventPosition(fromBlock, 0)
  const last = eventPosition(toBlock, positionsPerBlock - 1)
  for await (const read of readStoredEvents(reads, { chainId, ordinal: chain.ordinal, first, last })) {
    if (read.kind === 'event') yield read.stored
  }
}

async function sampleRecords(
  reads: Reads,
  chainId: ChainId,
  count: number,
  random: () => number,
): Promise<readonly Position[]> {
  const chain = await findChainRow(reads, chainId)
  if (chain === null || count === 0) return []
  const { dialect } = reads
  const walks = [
    // An index is a tenth of the size of the table.
    reads.batches<[Position]>(
      `SELECT a.id & ${positionMask} FROM ${dialect.walked('attestation', 'a', 'attestation_by_chain')} ` +
        'WHERE a.chain_id = ? ORDER BY a.attest_timestamp, a.id',
      chainId,
    ),
    reads.batches<[Position]>(
      `SELECT position FROM schema WHERE ${dialect.flag('registered', true)} AND chain_id = ? ORDER BY position`,
      chainId,
    ),
  ]
  return (await takeSample(walks, count, random)).positions
}

async function sampleBornRevoked(
  reads: Reads,
  chainId: ChainId,
  count: number,
  random: () => number,
): Promise<Sample> {
  const chain = await findChainRow(reads, chainId)
  if (chain === null) return { positions: [], total: 0 }
  const { first, last } = rowIdsAbove(chain.ordinal, -1)
  const walk = reads.batches<[Position]>(
    `SELECT id & ${positionMask} FROM attestation WHERE id BETWEEN ? AND ? AND revoke_timestamp IS NOT NULL ` +
      'AND revoked_id IS NULL ORDER BY id',
    first,
    last,
  )
  return await takeSample([walk], count, random)
}

interface Sample {
  /** Ascending. */
  readonly positions: readonly Position[]
  readonly total: number
}

/** Takes a sample by a reservoir: one walk, and memory for only the sample. */
async function takeSample(
  walks: readonly AsyncIterable<readonly (readonly [Position])[]>[],
  count: number,
  random: () => number,
): Promise<Sample> {
  const sample: Position[] = []
  let total = 0
  for (const walk of walks) {
    for await (const rows of walk) {
      for (const [position] of rows) {
        total += 1
        const slot = sample.length < count ? sample.length : Math.floor(random() * total)
        if (slot < count) sample[slot] = position
      }
      await nextTurn()
    }
  }
  return { positions: sample.sort((a, b) => a - b), total }
}

async function* listLocalIds(
  reads: Reads,
  chainId: ChainId,
  protocol: ProtocolName,
  what: 'schema' | 'attestation',
): AsyncGenerator<{ readonly localId: LocalId; readonly position: Position }> {
  const chain = await findChainRow(reads, chainId)
  if (chain === null) return
  const { first, last } = rowIdsAbove(chain.ordinal, -1)
  const batches =
    what === 'schema'
      ? reads.batches<[string, Position]>(
          `SELECT local_id, position FROM schema WHERE ${reads.dialect.flag('registered', true)} AND chain_id = ? ` +
            'AND protocol = ? ORDER BY position',
          chainId,
          protocol,
        )
      : reads.batches<[string, Position]>(
          `SELECT local_id, id & ${positionMask} FROM attestation WHERE id BETWEEN ? AND ? AND protocol = ? ORDER BY id`,
          first,
          last,
          protocol,
        )
  for await (const rows of batches) {
    for (const [localId, position] of rows) yield { localId: `0x${localId}` as LocalId, position }
  }
}
