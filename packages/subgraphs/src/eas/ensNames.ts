import { checksumAddress } from '@attestry/core/model/checksumAddress.ts'
import { parseAddress, type Address } from '@attestry/core/model/hex.ts'
import { planReads, type ReadRules } from '../engine/planReads.ts'
import { hex, int, text, valuesOf, type PrismaEntity } from '../engine/prisma/entity.ts'
import { openWhole, type PlacedRow } from '../engine/rowSource.ts'
import { readSorted } from '../engine/walkArms.ts'
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
    const { ids } = await planReads(nameRules, context, condition)
    const named = readSorted(await readNames(context, [...ids].sort()))
    return openWhole((await named(order, after, ids.size)).rows)
  },
  async find(context, id) {
    const address = parseAddress(id)
    const [row] = address === null ? [] : await readNames(context, [address])
    return row ?? null
  },
}

/** Names are known by their addresses only: no filter lists them. */
const nameRules: ReadRules<EasContext, object, Address> = {
  every: () => ({}),
  idOf: (_context, value) => parseAddress(String(value)),
  fields: {},
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
