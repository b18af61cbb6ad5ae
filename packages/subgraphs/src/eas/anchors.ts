import { checksumAddress } from '@attestry/core/model/checksumAddress.ts'
import { zeroAddress } from '@attestry/core/model/hex.ts'
import { positionIndex, type Position } from '@attestry/core/model/position.ts'
import type { AnchorFilter } from '@attestry/core/index/indexQueries.ts'
import type { StoredAnchor } from '@attestry/core/index/storedRecords.ts'
import { addressPart, openArms, planReads, type ReadRules } from '../engine/planReads.ts'
import { hex, int, text, valuesOf, type PrismaEntity } from '../engine/prisma/entity.ts'
import { findById, mapBatches, rootOf, type PlacedRow } from '../engine/rowSource.ts'
import { walkArms } from '../engine/walkArms.ts'
import type { EasContext } from './easContext.ts'

/** A timestamp or an off-chain revocation: an anchor of the index in the form of easscan. */
type AnchorRow = StoredAnchor & PlacedRow
type AnchorEntity = PrismaEntity<AnchorRow, EasContext>

const sizeOfAnchor = ({ value: anchored }: StoredAnchor) => anchored.length

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
  const rules: ReadRules<EasContext, AnchorFilter, never> = {
    every: ({ chain }) => ({ kind, value: null, account: null, chainId: chain.chainId }),
    fields: { [valueField]: (_context, text) => ({ value: String(text) }), from: addressPart('account') },
    absent: { from: zeroAddress },
  }
  const entity: AnchorEntity = {
    name,
    many: `${rootOf(name)}s`,
    fields,
    relatedTo: {},
    walkedFields: ['timestamp'],
    valueOf: valuesOf(fields),
    async open(context, { condition, order, after, expected }) {
      const { reader, budget, protocol } = context
      const plan = await planReads(rules, context, condition)
      const arms = await openArms(
        plan,
        (request) => reader.sliceAnchors(request),
        () => Promise.resolve([]),
      )
      return {
        rest: plan.rest,
        read: () =>
          mapBatches(walkArms(arms, { order, after, expected }, budget, sizeOfAnchor), (batch) =>
            batch.filter((row) => row.protocol === protocol.name),
          ),
      }
    },
    find: (context, id) => findById(entity, context, id.toLowerCase()),
  }
  return entity
}
