import type { PlacedRow, RowSource } from './rowSource.ts'

/** Names of ENS, of which the index has none: lists of them are empty. Clients ask for them beside attestations. */
export const ensNameSource: RowSource<PlacedRow> = {
  model: 'EnsName',
  walkedFields: ['timestamp'],
  furtherOrders: [],
  valueOf: (_context, _row, field) => {
    throw new TypeError(`there is no ENS name with a ${field}`)
  },
  // oxlint-disable-next-line require-yield -- There is nothing to yield.
  async *walk() {
    return
  },
  find: () => Promise.resolve(null),
  count: () => Promise.resolve(0),
}
