import { fromRlp, toRlp } from 'viem/utils'
import type { Hex } from '@attestry/core/model/hex.ts'

/** A byte string, or a list of items. */
export type RlpItem = Hex | readonly RlpItem[]

export function isRlpList(item: RlpItem | null | undefined): item is readonly RlpItem[] {
  return typeof item === 'object' && item !== null
}

/** The item that bytes encode in RLP; null if the bytes are not RLP, or not the canonical encoding of the item. */
export function readRlp(bytes: Hex): RlpItem | null {
  try {
    const item = fromRlp(bytes, 'hex')
    // The library also reads lengths that are not minimal. Only the canonical form is valid on a chain.
    return toRlp(item) === bytes ? (item as RlpItem) : null
  } catch {
    return null
  }
}
