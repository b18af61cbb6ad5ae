import { StoreInvariantError } from '@attestry/core/errors/storeErrors.ts'
import type { ChainId } from '@attestry/core/model/compositeId.ts'
import { positionsPerBlock } from '@attestry/core/model/position.ts'
import type { AsOf } from '@attestry/core/index/indexQueries.ts'
import { claimState } from '../layout/bornRevocation.ts'
import { rowIdsAbove } from '../layout/rowId.ts'
import type { Cut, CutChain } from './cut.ts'
import { locateBlock } from './findMoment.ts'
import { listKnownChains } from './knownChains.ts'
import type { ReadSessions } from './readSessions.ts'
import type { PastSession, ReadSession } from './session.ts'

/** The sessions of an index whose reads end at a moment. */
export interface PastSessions extends ReadSessions {
  readPast<Result>(work: (session: PastSession) => Promise<Result>): Promise<Result>
}

export function sessionsAsOf(sessions: ReadSessions, moment: AsOf): PastSessions {
  const within =
    <Rest extends readonly unknown[], Result>(
      work: (session: PastSession, ...rest: Rest) => Promise<Result>,
    ) =>
    async (session: ReadSession, ...rest: Rest): Promise<Result> => {
      const cut = await cutAt(session, moment)
      return await work({ ...session, cut }, ...rest)
    }
  return {
    ...sessions,
    // Such a read takes several statements, which have to see one state.
    readOnce: (work) => sessions.read('kept', within(work)),
    read: (plans, work) => sessions.read(plans, within(work)),
    readPast: (work) => sessions.read('kept', within(work)),
    countLong: (work, budget, turn) => sessions.countLong(within(work), budget, turn),
  }
}

export async function cutAt(session: ReadSession, { blocks, at, timeUnknown }: AsOf): Promise<Cut> {
  const chains = await listKnownChains(session)
  const found = chains.map(async ({ chainId, ordinal }): Promise<CutChain[]> => {
    const last = blocks.get(chainId)
    if (last === undefined) return []
    const { number: block, timestamp } = last
    const upTo = rowIdsAbove(ordinal, block).first - 1n
    const position = (block + 1) * positionsPerBlock - 1
    const time = timestamp ?? at
    const { from, isOpen } =
      time === null ? await readClaims(session, chainId, block, upTo) : { from: time, isOpen: false }
    return [
      {
        chainId,
        block,
        time,
        get claimTime() {
          if (!isOpen) return from
          throw timeUnknown?.() ?? new StoreInvariantError('the time of a block is not known')
        },
        nameTime: from,
        first: rowIdsAbove(ordinal, -1).first,
        upTo,
        position,
      },
    ]
  })
  const cut = (await Promise.all(found)).flat()
  const [only] = cut
  const isOne = only !== undefined && cut.length === 1 && chains.length > 1
  return { at, chains: cut, chainId: isOne ? only.chainId : null, places: new Map() }
}

/**
 * The time of the indexed block before a block, and whether a claim of a revocation is open: it lies between the times of
 * the indexed blocks around the block. A claim counts from its time until the event that overrules it, if that event came
 * later.
 */
async function readClaims(
  session: ReadSession,
  chainId: ChainId,
  block: number,
  upTo: bigint,
): Promise<{ readonly from: number; readonly isOpen: boolean }> {
  const { connection: reads } = session
  const located = await locateBlock(session, chainId, block)
  const from = located?.from ?? -1
  const open = await reads.get<[number]>(
    `SELECT 1 FROM revocation_claim v ${reads.dialect.drivenJoin} attestation a ON a.id = v.id ` +
      `WHERE v.chain_id = ? AND v.state = ${claimState.overruled} AND v.due >= ? AND v.due < ? ` +
      `AND a.id <= ? AND a.revoked_id > ? AND ${reads.dialect.uint64('a.revoke_timestamp')} > v.due LIMIT 1`,
    chainId,
    from,
    located?.to ?? Number.MAX_SAFE_INTEGER,
    upTo,
    upTo,
  )
  return { from, isOpen: open !== undefined }
}
