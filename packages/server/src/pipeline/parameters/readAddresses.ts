import type { Address } from '@attestry/core/model/hex.ts'
import { readAddress } from './idParameters.ts'
import { manyMax, readList } from './readBody.ts'

/** An id or an address, as it was sent and as it was read. */
export interface Sent<Value> {
  readonly text: string
  readonly value: Value
}

/**
 * A list of 1 to 10,000 addresses in a body.
 * @throws BadParameterError naming the list, or the place in the list.
 */
export function readAddresses(name: string, value: unknown): readonly Sent<Address>[] {
  return readList(name, value, { items: 'addresses', itemsMax: manyMax }, (place, text) => ({
    text,
    value: readAddress(place, text),
  }))
}
