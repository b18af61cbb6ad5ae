import { projections } from '@attestry/test/harness/projections.ts'
import { sampleChain } from '@attestry/server/pipeline/testing/sampleIndex.ts'
import { sampleContract } from '@attestry/server/pipeline/testing/sampleRecords.ts'
import { createFieldIndexing } from '@attestry/host/fieldSetting.ts'
import { eventPosition, positionBlock } from '@attestry/core/model/position.ts'
import { unixMilliseconds } from '@attestry/core/model/time.ts'
import { migrateSqlite } from '@attestry/store/sqlite/migrateSqlite.ts'
import { openSqliteWriter } from '@attestry/store/sqlite/openSqliteWriter.ts'
import { easChainId, eventBatches } from './easContent.ts'

/** Makes a database of the records of `easContent.ts`, with all fields indexed. */
export async function fillEas(path: string, attestations: number): Promise<void> {
  migrateSqlite(path, { projections })
  const writer = openSqliteWriter(path, { fields: createFieldIndexing('all'), projections })
  const contracts = [{ protocol: 'eas', address: sampleContract, schemaRegistry: null, startBlock: 0 }]
  await writer.openChain({ chainId: easChainId, name: 'Base', contracts })
  let fromBlock = 0
  for (const events of eventBatches(attestations)) {
    const blockNumber = positionBlock(events.at(-1)?.position ?? eventPosition(0, 0))
    await writer.applyBlocks(easChainId, {
      fromBlock,
      checkpoint: { blockNumber, timestamp: null },
      events,
      recentBlocks: [],
      forgetBlocksBelow: 0,
      storedAt: unixMilliseconds(1_760_000_000_000),
    })
    fromBlock = blockNumber + 1
  }
  await writer.saveChainStatus(sampleChain({ chainId: easChainId, name: 'Base', protocols: ['eas'] }))
  while (!(await writer.advanceFields(easChainId)).isDone) continue
  await writer.close()
}
