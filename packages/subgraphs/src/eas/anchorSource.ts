import { checksumAddress } from '@attestry/core/model/checksumAddress.ts'
import { parseAddress, zeroAddress } from '@attestry/core/model/hex.ts'
import { positionIndex, type Position } from '@attestry/core/model/position.ts'
import type { AnchorFilter } from '@attestry/core/index/indexQueries.ts'
import type { RowPlace, StoredAnchor } from '@attestry/core/index/storedRecords.ts'
import { boundsOf, listAlternatives } from '../protocolGraphql/alternatives.ts'
import { isOneOf, type Condition } from '../protocolGraphql/condition.ts'
import { createValues } from '../protocolGraphql/fieldValues.ts'
import { createMatcher } from '../protocolGraphql/matchCondition.ts'
import type { ModelName } from './models.ts'
import type { RowSource } from './rowSource.ts'
import { walkArms, type ReadArm } from '../protocolGraphql/walkArms.ts'

/** A timestamp or an off-chain revocation: an anchor of the index in the form of easscan. */
export interface AnchorRow {
  readonly stored: StoredAnchor
  readonly place: RowPlace
}

/** Timestamps: the id is what was timestamped. The event names no account. */
export const timestampSource = createAnchorSource('Timestamp', 'Timestamped', 'id')

export const offchainRevocationSource = createAnchorSource('OffchainRevocation', 'RevokedOffchain', 'uid')

/** @param valueField the field that holds the anchored value. */
function createAnchorSource(model: ModelName, kind: string, valueField: string): RowSource<AnchorRow> {
  const valueOf = createValues<AnchorRow>({
    id: ({ stored, place }) => `${stored.transactionHash}-${positionIndex(place.position as Position)}`,
    from: ({ stored }) => checksumAddress(stored.account ?? zeroAddress),
    txid: ({ stored }) => stored.transactionHash,
    timestamp: ({ place }) => place.timestamp,
    tree: () => '',
    [valueField]: ({ stored }) => stored.value,
  })
  const filtersOf = (condition: Condition): AnchorFilter[] =>
    listAlternatives(condition).flatMap(({ tests }): AnchorFilter[] => {
      const every = { kind, value: null, account: null }
      const values = boundsOf(tests, [valueField]).values
      const accounts = boundsOf(tests, ['from']).values
      if (values !== null && values.size <= filtersMax) {
        return [...values].map((value) => ({ ...every, value: String(value) }))
      }
      if (accounts === null || accounts.has(zeroAddress) || accounts.size > filtersMax) return [every]
      const parsed = [...accounts].map((account) => parseAddress(String(account)))
      return parsed.filter((account) => account !== null).map((account) => ({ ...every, account }))
    })
  const source: RowSource<AnchorRow> = {
    model,
    walkedFields: ['timestamp'],
    furtherOrders: [],
    valueOf: (_context, row, field) => valueOf(row, field),
    async *walk({ reader, budget, chain, protocol }, { condition, order, after, expected }) {
      const arms = filtersOf(condition).map(
        (filter): ReadArm<StoredAnchor> =>
          (walked, from, limit) =>
            reader.sliceAnchors({ filter, order: walked, after: from, limit }),
      )
      const isMatch = createMatcher(condition, valueOf, budget.compare)
      for await (const batch of walkArms(
        arms,
        { order, after, expected },
        budget,
        ({ value }) => value.length,
      )) {
        yield batch
          .filter(({ place, protocol: of }) => place.chainId === chain.chainId && of === protocol.name)
          .map((stored): AnchorRow => ({ stored, place: stored.place }))
          .filter(isMatch)
      }
    },
    async find(context, id, fields) {
      const condition = isOneOf('id', [id.toLowerCase()])
      const request = { condition, order: 'newestFirst', after: null, fields, expected: 1 } as const
      for await (const [row] of source.walk(context, request)) if (row !== undefined) return row
      return null
    },
    count: () => Promise.resolve(null),
  }
  return source
}

/** Most values of one list that are looked up one by one. */
const filtersMax = 100
