import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setImmediate as nextTurn } from 'node:timers/promises'
import type { ChainId, LocalId } from '@attestry/core/model/compositeId.ts'
import type { DomainEvent } from '@attestry/core/model/domainEvent.ts'
import { eventPosition } from '@attestry/core/model/position.ts'
import type { Attestation } from '@attestry/core/model/records.ts'
import { unixMilliseconds, unixSeconds } from '@attestry/core/model/time.ts'
import type { ChangeJournal } from '@attestry/core/index/indexQueries.ts'
import type { IndexReader } from '@attestry/core/index/indexReader.ts'
import { migrateSqlite } from '@attestry/store/sqlite/migrateSqlite.ts'
import { openSqliteReader } from '@attestry/store/sqlite/openSqliteReader.ts'
import { openSqliteWriter } from '@attestry/store/sqlite/openSqliteWriter.ts'
import { sampleHash } from './sampleRecords.ts'

/** The journal of a SQLite database that a test writes to. */
export interface TestJournal
  extends ChangeJournal, Pick<IndexReader, 'indexVersion'>, Pick<IndexReader, 'findPresent'> {
  /** Makes attestations, those of each chain in a separate block. */
  make(...attestations: readonly Attestation[]): Promise<void>
  revoke(chainId: ChainId, localId: LocalId): Promise<void>
  /** Reverts the newest block of a chain. */
  revert(chainId: ChainId): Promise<void>
  /** How often changes were asked for. */
  readonly readCount: number
  close(): Promise<void>
}

export function createTestJournal(): TestJournal {
  const folder = mkdtempSync(join(tmpdir(), 'attestry-journal-'))
  const path = join(folder, 'index.db')
  migrateSqlite(path)
  const writer = openSqliteWriter(path)
  const reader = openSqliteReader(path)
  const newestBlocks = new Map<ChainId, number>()
  let readCount = 0

  async function apply(
    chainId: ChainId,
    makeEvents: (block: number) => readonly DomainEvent[],
  ): Promise<void> {
    const known = newestBlocks.get(chainId)
    const block = (known ?? 0) + 1
    newestBlocks.set(chainId, block)
    if (known === undefined) await writer.openChain({ chainId, name: 'Chain', contracts: [] })
    await writer.applyBlocks(chainId, {
      fromBlock: block,
      checkpoint: { blockNumber: block, timestamp: null },
      events: makeEvents(block),
      recentBlocks: [],
      forgetBlocksBelow: 0,
      storedAt: unixMilliseconds(1),
    })
    // The reader sees one state of the index for a whole turn of the event loop.
    await nextTurn()
  }

  return {
    make: async (...attestations) => {
      for (const [chainId, ofChain] of Map.groupBy(attestations, ({ key }) => key.chainId)) {
        await apply(chainId, (block) =>
          ofChain.map((each, index) => {
            const position = eventPosition(block, index)
            return { kind: 'attestationMade', position, attestation: { ...each, position } }
          }),
        )
      }
    },
    revoke: (chainId, localId) =>
      apply(chainId, (block) => [
        {
          kind: 'attestationRevoked',
          position: eventPosition(block, 0),
          protocol: 'sign',
          localId,
          reason: '',
          timestamp: unixSeconds(1_700_200_000),
          transactionHash: sampleHash(block),
        },
      ]),
    revert: async (chainId) => {
      const block = (newestBlocks.get(chainId) ?? 0) - 1
      newestBlocks.set(chainId, block)
      await writer.revertBlocks(chainId, block, unixMilliseconds(2))
    },
    indexVersion: () => reader.indexVersion(),
    findPresent: (wanted) => reader.findPresent(wanted),
    newestChange: () => reader.newestChange(),
    listChanges: (after, limit) => {
      readCount++
      return reader.listChanges(after, limit)
    },
    get readCount() {
      return readCount
    },
    close: async () => {
      await Promise.all([reader.close(), writer.close()])
      rmSync(folder, { recursive: true, force: true })
    },
  }
}
