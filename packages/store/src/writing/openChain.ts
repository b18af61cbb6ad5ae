import type {
  ChainStatus,
  ContractHistory,
  Defect,
  Verification,
  RememberedBlock,
} from '@attestry/core/model/chainState.ts'
import type { Hash } from '@attestry/core/model/hex.ts'
import { unixSeconds } from '@attestry/core/model/time.ts'
import type { IndexedContract } from '@attestry/core/model/indexedContract.ts'
import type { ChainIdentity, OpenedChain } from '@attestry/core/index/indexWriter.ts'
import { findRewind, sortContracts } from '../layout/contracts.ts'
import { checkOrdinal, firstOwnId } from '../layout/rowId.ts'
import { readFindings, writeFindings, type ChainFindings } from '../layout/chainStatus.ts'
import type { Reads } from '../port/reads.ts'
import type { Tables } from '../port/tables.ts'
import type { Projection } from '../port/projection.ts'
import { findChainRow } from './chainRow.ts'
import { areFollowing } from './projectionProgress.ts'

/**
 * Makes a chain known, or updates its name and contracts. A rewind that a change of contracts asks for is kept until
 * blocks are reverted that far, so that it is not lost when the process ends in between. A chain that a projection does
 * not stand at the checkpoint of is read again from its beginning.
 */
export async function openChain(
  tables: Tables,
  chain: ChainIdentity,
  projections: readonly Projection[],
): Promise<OpenedChain> {
  const { chainId } = chain
  const known = await findChainRow(tables, chainId)
  const contracts = sortContracts(chain.contracts)
  if (known === null) {
    await insertChain(tables, chainId, chain.name, JSON.stringify(contracts))
    return { checkpoint: null, recentBlocks: [], rewindTo: null, history: [] }
  }
  const before = await readContracts(tables, chainId)
  const pending = (await areFollowing(tables, projections, known)) ? known.rewindTo : -1
  const rewindTo = findRewind(known.checkpointBlock, pending, before, contracts)
  await tables.run(
    'UPDATE chain SET name = ?, contracts_json = ?, rewind_to = ? WHERE chain_id = ?',
    chain.name,
    JSON.stringify(contracts),
    rewindTo,
    chainId,
  )
  const { checkpointBlock, checkpointTimestamp } = known
  return {
    checkpoint:
      checkpointBlock === null ? null : { blockNumber: checkpointBlock, timestamp: checkpointTimestamp },
    recentBlocks: await readRecentBlocks(tables, chainId),
    rewindTo,
    history: await readHistory(tables, chainId),
  }
}

/** Gives a chain that the database does not hold yet the next ordinal. */
async function insertChain(
  tables: Tables,
  chainId: number,
  name: string,
  contractsJson: string,
): Promise<void> {
  // Two writers that add chains at once must not take the same ordinal.
  await tables.lockState()
  const [next] = (await tables.get<[number]>('SELECT coalesce(max(ordinal) + 1, 0) FROM chain')) ?? [0]
  await tables.run(
    'INSERT INTO chain (ordinal, chain_id, name, contracts_json, next_field_id) VALUES (?, ?, ?, ?, ?)',
    checkOrdinal(next),
    chainId,
    name,
    contractsJson,
    firstOwnId(next),
  )
}

/** The contracts of a chain as it was last opened; empty if it never was. */
export async function readContracts(reads: Reads, chainId: number): Promise<readonly IndexedContract[]> {
  const row = await reads.get<[string]>('SELECT contracts_json FROM chain WHERE chain_id = ?', chainId)
  return JSON.parse(row?.[0] ?? '[]') as IndexedContract[]
}

/** Keeps the freshness of a chain, also of one that was never opened because none of its endpoints answered. */
export async function saveChainStatus(tables: Tables, status: ChainStatus): Promise<void> {
  if ((await findChainRow(tables, status.chainId)) === null) {
    await insertChain(tables, status.chainId, status.name, '[]')
  }
  await tables.run(
    'UPDATE chain SET status_json = ? WHERE chain_id = ?',
    JSON.stringify(status),
    status.chainId,
  )
}

/** The evidence of the saved status; none of a status of an earlier version. */
async function readHistory(reads: Reads, chainId: number): Promise<readonly ContractHistory[]> {
  const row = await reads.get<[string | null]>('SELECT status_json FROM chain WHERE chain_id = ?', chainId)
  return row?.[0] == null ? [] : ((JSON.parse(row[0]) as Partial<ChainStatus>).history ?? [])
}

/**
 * Keeps what was found missing or wrong in a chain's index, with the blocks of what was found before.
 * @param settled what was found before and is looked into; forgotten if it is still all that is known.
 */
export async function markDefect(
  tables: Tables,
  chainId: number,
  defect: Defect | null,
  settled?: Defect,
): Promise<void> {
  await changeFindings(tables, chainId, ({ defect: known, verification }) => {
    const isSettled = known === null || (settled !== undefined && isSame(known, settled))
    if (defect === null) return { defect: isSettled || settled === undefined ? null : known, verification }
    return { defect: isSettled ? defect : joinDefects(known, defect), verification }
  })
}

/** Keeps the last verification of a chain. */
export async function noteVerification(
  tables: Tables,
  chainId: number,
  verification: Verification,
): Promise<void> {
  await changeFindings(tables, chainId, ({ defect }) => ({ defect, verification }))
}

/** Changes the findings of a chain. They are read again if another process has changed them meanwhile. */
async function changeFindings(
  tables: Tables,
  chainId: number,
  change: (known: ChainFindings) => ChainFindings,
): Promise<void> {
  for (;;) {
    const row = await readDefectJson(tables, chainId)
    if (row === undefined) return
    const [known] = row
    const updated = await tables.run(
      "UPDATE chain SET defect_json = ? WHERE chain_id = ? AND coalesce(defect_json, '') = ?",
      writeFindings(change(readFindings(known))),
      chainId,
      known ?? '',
    )
    if (updated > 0) return
  }
}

function isSame(one: Defect, other: Defect): boolean {
  return one.fromBlock === other.fromBlock && one.toBlock === other.toBlock && one.text === other.text
}

function joinDefects(known: Defect, { fromBlock, toBlock, text }: Defect): Defect {
  if (known.fromBlock === null || known.toBlock === null || fromBlock === null || toBlock === null)
    return { fromBlock: null, toBlock: null, text }
  return { fromBlock: Math.min(known.fromBlock, fromBlock), toBlock: Math.max(known.toBlock, toBlock), text }
}

/** The defect recorded for a chain's index; null if it has no defect. */
export async function readDefect(reads: Pick<Reads, 'get'>, chainId: number): Promise<Defect | null> {
  const [defectJson = null] = (await readDefectJson(reads, chainId)) ?? []
  return readFindings(defectJson).defect
}

function readDefectJson(reads: Pick<Reads, 'get'>, chainId: number): Promise<[string | null] | undefined> {
  return reads.get<[string | null]>('SELECT defect_json FROM chain WHERE chain_id = ?', chainId)
}

/** The remembered blocks of a chain, ascending. */
export async function readRecentBlocks(reads: Reads, chainId: number): Promise<RememberedBlock[]> {
  const rows = await reads.all<[number, string, string, number, string | null]>(
    'SELECT number, hash, parent_hash, timestamp, logs_seal FROM recent_block WHERE chain_id = ? ORDER BY number',
    chainId,
  )
  return rows.map(([number, hash, parentHash, timestamp, logsSeal]) => ({
    number,
    hash: hash as Hash,
    parentHash: parentHash as Hash,
    timestamp: unixSeconds(timestamp),
    ...(logsSeal === null ? {} : { logsSeal }),
  }))
}
