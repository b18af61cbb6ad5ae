import { checksumAddress } from '@attestry/core/model/checksumAddress.ts'
import { parseAddress, type Address } from '@attestry/core/model/hex.ts'
import { boundsOf, listAlternatives } from '../protocolGraphql/alternatives.ts'
import type { Condition } from '../protocolGraphql/condition.ts'
import { createValues } from '../protocolGraphql/fieldValues.ts'
import { createMatcher } from '../protocolGraphql/matchCondition.ts'
import type { EasContext } from './easContext.ts'
import type { PlacedRow, RowSource } from './rowSource.ts'

/** The name of an address. The index has none of them: those are known that a condition asks for by their addresses. */
interface EnsNameRow extends PlacedRow {
  readonly address: Address
  readonly name: string
}

const valueOf = createValues<EnsNameRow>({
  id: ({ address }) => checksumAddress(address),
  name: ({ name }) => name,
  timestamp: ({ place }) => place.timestamp,
})

export const ensNameSource: RowSource<EnsNameRow> = {
  model: 'EnsName',
  walkedFields: ['timestamp'],
  furtherOrders: [],
  valueOf: (_context, row, field) => valueOf(row, field),
  async *walk(context, { condition, order, after }) {
    const rows = (await readNames(context, addressesOf(condition))).filter(
      createMatcher(condition, valueOf, context.budget.compare),
    )
    const ordered = order === 'oldestFirst' ? rows : rows.toReversed()
    yield ordered.filter(
      ({ place }) =>
        after === null ||
        (order === 'oldestFirst' ? place.position > after.position : place.position < after.position),
    )
  },
  async find(context, id) {
    const address = parseAddress(id)
    const [row] = address === null ? [] : await readNames(context, [address])
    return row ?? null
  },
  count: () => Promise.resolve(null),
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
