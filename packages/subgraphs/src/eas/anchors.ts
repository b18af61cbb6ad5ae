import { checksumAddress } from '@attestry/core/model/checksumAddress.ts'
import { parseAddress, zeroAddress } from '@attestry/core/model/hex.ts'
import { positionIndex, type Position } from '@attestry/core/model/position.ts'
import type { AnchorFilter } from '@attestry/core/index/indexQueries.ts'
import type { StoredAnchor } from '@attestry/core/index/storedRecords.ts'
import { boundsOf, listAlternatives } from '../engine/alternatives.ts'
import { isOneOf, type Condition } from '../engine/condition.ts'
import { hex, int, text, valuesOf, type PrismaEntity } from '../engine/prisma/entity.ts'
import { rootOf, walkRows, wholeWalk, type PlacedRow } from '../engine/rowSource.ts'
import { walkArms, type ReadArm } from '../engine/walkArms.ts'
import type { EasContext } from './easContext.ts'

/** A timestamp or an off-chain revocation: an anchor of the index in the form of easscan. */
type AnchorRow = StoredAnchor & PlacedRow
type AnchorEntity = PrismaEntity<AnchorRow, EasContext>

const [from, txid, timestamp, value] = [
  hex(({ account }: AnchorRow) => checksumAddress(account ?? zeroAddress)),
  hex(({ transactionHash }: AnchorRow) => transactionHash),
  int(({ place }: AnchorRow) => place.timestamp),
  hex(({ value: anchored }: AnchorRow) => anchored),
]

export const offchainRevocationEntity = createAnchorEntity('OffchainRevocation', 'RevokedOffchain', 'uid', {
  id: hex(({ transactionHash, place }) => `${transactionHash}-${positionIndex(place.position as Position)}`),
  from,
  uid: value,
  txid,
  timestamp,
})

/** Timestamps: the id is what was timestamped. The event names no account. */
export const timestampEntity = createAnchorEntity('Timestamp', 'Timestamped', 'id', {
  id: value,
  from,
  txid,
  tree: text(() => ''),
  timestamp,
})

/** @param valueField the field that holds the anchored value. */
function createAnchorEntity(
  name: string,
  kind: string,
  valueField: string,
  fields: AnchorEntity['fields'],
): AnchorEntity {
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
  const entity: AnchorEntity = {
    name,
    many: `${rootOf(name)}s`,
    fields,
    relatedTo: {},
    walkedFields: ['timestamp'],
    valueOf: valuesOf(fields),
    open({ reader, budget, chain, protocol }, { condition, order, after, expected }) {
      const arms = filtersOf(condition).map(
        (filter): ReadArm<StoredAnchor> =>
          (walked, behind, limit) =>
            reader.sliceAnchors({ filter, order: walked, after: behind, limit }),
      )
      const walk = { order, after, expected }
      return Promise.resolve({
        read: async function* () {
          for await (const batch of walkArms(arms, walk, budget, ({ value: anchored }) => anchored.length)) {
            yield batch.filter(
              ({ place, protocol: of }) => place.chainId === chain.chainId && of === protocol.name,
            )
          }
        },
      })
    },
    async find(context, id) {
      const walk = { ...wholeWalk(isOneOf('id', [id.toLowerCase()])), expected: 1 }
      for await (const [row] of walkRows(entity, context, walk)) if (row !== undefined) return row
      return null
    },
  }
  return entity
}

/** Most values of one list that are looked up one by one. */
const filtersMax = 100
