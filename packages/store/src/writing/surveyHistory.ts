import type { ChainId, LocalId } from '@attestry/core/model/compositeId.ts'
import { eventPosition, positionsPerBlock, type Position } from '@attestry/core/model/position.ts'
import type { HeldRecords } from '@attestry/core/index/indexWriter.ts'
import { positionMask, rowId, rowIdsAbove } from '../layout/rowId.ts'
import type { Projection } from '../port/projection.ts'
import type { Reads } from '../port/reads.ts'
import { findChainRow } from './chainRow.ts'
import { readDefect } from './openChain.ts'
import { isOfUnknownRecord } from './undecodable.ts'

/** The body of a row of a log that no rule can read, or of a revocation that contradicts the index. */
interface UnreadableBody extends Partial<HeldRecords['undecodable'][number]> {
  readonly protocol: string
  readonly reason: string
}

/** More undecodable logs than this are not looked through. */
const undecodableMax = 10_000

/** The positions of the events in a range of blocks, ascending, each once. */
export async function readEventPositions(
  reads: Reads,
  chainId: ChainId,
  fromBlock: number,
  toBlock: number,
): Promise<readonly Position[]> {
  const chain = await findChainRow(reads, chainId)
  if (chain === null) return []
  const [first, last] = [eventPosition(fromBlock, 0), eventPosition(toBlock, positionsPerBlock - 1)]
  const ids = [rowId(chain.ordinal, first), rowId(chain.ordinal, last)]
  const positionsOf = (column: 'id' | 'revoked_id', table: string) =>
    reads.all<[Position]>(
      `SELECT ${column} & ${positionMask} FROM ${table} WHERE ${column} BETWEEN ? AND ?`,
      ...ids,
    )
  const found = [
    await positionsOf('id', 'attestation'),
    await positionsOf('revoked_id', 'attestation'),
    await positionsOf('id', 'anchor'),
    await positionsOf('id', 'metadata'),
    await positionsOf('id', 'undecodable'),
    await reads.all<[Position]>(
      `SELECT position FROM schema WHERE ${reads.dialect.flag('registered', true)} AND chain_id = ? AND position BETWEEN ? AND ?`,
      chainId,
      first,
      last,
    ),
  ]
  const positions = new Set(found.flat().map(([position]) => position))
  return [...positions].sort((a, b) => a - b)
}

/** Counts the records in the index of a chain that contracts number. */
export async function countRecords(
  reads: Reads,
  projections: readonly Projection[],
  chainId: ChainId,
): Promise<HeldRecords> {
  const chain = await findChainRow(reads, chainId)
  if (chain === null) return { defect: null, protocols: [], subjects: [], unknown: [], undecodable: [] }
  const { first, last } = rowIdsAbove(chain.ordinal, -1)
  const counts = await reads.all<[protocol: string, schemas: number, attestations: number]>(
    'SELECT protocol, schema_count, attestation_count FROM protocol_count WHERE chain_id = ?',
    chainId,
  )
  const protocols: HeldRecords['protocols'][number][] = []
  for (const [protocol, schemas, attestations] of counts) {
    const schema = await reads.get<[string]>(
      `SELECT local_id FROM schema WHERE ${reads.dialect.flag('registered', true)} AND chain_id = ? AND protocol = ? ORDER BY position LIMIT 1`,
      chainId,
      protocol,
    )
    const attestation = await reads.get<[string]>(
      'SELECT local_id FROM attestation WHERE id BETWEEN ? AND ? AND protocol = ? ORDER BY id LIMIT 1',
      first,
      last,
      protocol,
    )
    protocols.push({
      protocol,
      schema: { count: schemas, first: localIdOf(schema) },
      attestation: { count: attestations, first: localIdOf(attestation) },
    })
  }
  const bodies = await reads.all<[string]>(
    `SELECT body_json FROM undecodable WHERE id BETWEEN ? AND ? LIMIT ${undecodableMax}`,
    first,
    last,
  )
  const unreadable = bodies.map(([body]) => JSON.parse(`{${body}}`) as UnreadableBody)
  // Revocations that contradict the index have no contract.
  const undecodable = unreadable.flatMap(({ contract, topics }) =>
    contract === undefined || topics === undefined ? [] : [{ contract, topics }],
  )
  const unregistered = await reads.all<[protocol: string, schemas: number]>(
    `SELECT protocol, count(*) FROM schema WHERE ${reads.dialect.flag('registered', false)} AND chain_id = ? GROUP BY protocol`,
    chainId,
  )
  const schemas = new Map(unregistered.map(([protocol, count]) => [protocol, Number(count)]))
  const attestations = Map.groupBy(unreadable.filter(isOfUnknownRecord), ({ protocol }) => protocol)
  const unknown = [...new Set([...schemas.keys(), ...attestations.keys()])].map((protocol) => ({
    protocol,
    schemas: schemas.get(protocol) ?? 0,
    attestations: attestations.get(protocol)?.length ?? 0,
  }))
  const defect = await readDefect(reads, chainId)
  return {
    defect,
    protocols,
    subjects: await Promise.all(projections.flatMap(({ subjects }) => subjects?.count(reads, chainId) ?? [])),
    unknown,
    undecodable,
  }
}

function localIdOf(row: readonly [string] | undefined): LocalId | null {
  return row === undefined ? null : (`0x${row[0]}` as LocalId)
}
