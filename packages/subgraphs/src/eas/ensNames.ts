import { checksumAddress } from '@attestry/core/model/checksumAddress.ts'
import { parseAddress, type Address } from '@attestry/core/model/hex.ts'
import { boundsOf, listAlternatives } from '../engine/alternatives.ts'
import type { Condition } from '../engine/condition.ts'
import { hex, int, text, valuesOf, type PrismaEntity } from '../engine/prisma/entity.ts'
import { openWhole, type PlacedRow } from '../engine/rowSource.ts'
import type { EasContext } from './easContext.ts'

/** The name of an address. The index has none of them: those are known that a condition asks for by their addresses. */
interface EnsNameRow extends PlacedRow {
  readonly address: Address
  readonly name: string
}

const fields: PrismaEntity<EnsNameRow, EasContext>['fields'] = {
  id: hex(({ address }) => checksumAddress(address)),
  name: text(({ name }) => name),
  timestamp: int(({ place }) => place.timestamp),
}

export const ensNameEntity: PrismaEntity<EnsNameRow, EasContext> = {
  name: 'EnsName',
  many: 'ensNames',
  fields,
  relatedTo: {},
  walkedFields: ['timestamp'],
  valueOf: valuesOf(fields),
  async open(context, { condition, order, after }) {
    const rows = await readNames(context, addressesOf(condition))
    const isBehind = ({ place }: EnsNameRow) =>
      after === null ||
      (order === 'oldestFirst' ? place.position > after.position : place.position < after.position)
    return openWhole((order === 'oldestFirst' ? rows : rows.toReversed()).filter(isBehind))
  },
  async find(context, id) {
    const address = parseAddress(id)
    const [row] = address === null ? [] : await readNames(context, [address])
    return row ?? null
  },
}

function addressesOf(condition: Condition): readonly Address[] {
  const ids = listAlternatives(condition).flatMap(({ tests }) => [...(boundsOf(tests, ['id']).values ?? [])])
  const addresses = ids.map((id) => parseAddress(String(id))).filter((address) => address !== null)
  return [...new Set(addresses)].sort()
}

async function readNames(
  { askNames, chain }: EasContext,
  addresses: readonly Address[],
): Promise<readonly EnsNameRow[]> {
  if (addresses.length === 0) return []
  const found = [...(await askNames().findOfEns(addresses))]
  // They have no time; their order is that of the addresses.
  return found.map(([address, name], position) => ({
    address,
    name,
    place: { timestamp: 0, chainId: chain.chainId, position },
  }))
}
