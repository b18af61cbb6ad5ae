import type { Hex } from '../model/hex.ts'
import type { DecodedRecord } from './abi/decodedRecord.ts'
import { describeRevert, isOlderState, staleOutcome, undecodableOutcome } from './decodeOutcomes.ts'
import type { ChainLog, DecodeOutcome, Deployment, ReadResult } from './protocolAdapter.ts'

/** A getter of a contract, whose read completes a log. */
interface Getter<Struct> {
  /** As messages name it, with its argument. */
  readonly call: string
  /** The noun for the returned value in messages. */
  readonly noun: string
  readonly decode: (returned: Hex) => DecodedRecord<Struct>
  /** The meanings of reverts with these data; null: the state of the node is older than the record. */
  readonly reverts?: Readonly<Record<Hex, string | null>>
}

/**
 * The record that a getter returned, or the outcome of the log without it:
 * 1. A revert: a final answer of the contract, but for those that `reverts` names. The record cannot be read.
 * 2. No data: see `isOlderState`.
 * 3. A struct, or bytes that do not decode. The caller checks that the struct is the one of the log.
 */
export function readGetter<Struct>(
  deployment: Deployment,
  log: ChainLog,
  result: ReadResult | null,
  { call, noun, decode, reverts = {} }: Getter<Struct>,
): { readonly kind: 'record'; readonly record: Struct } | DecodeOutcome {
  if (result === null) return staleOutcome(`${call} was not read`)
  if (result.kind === 'reverted') {
    const meaning = reverts[result.data]
    return meaning === null
      ? staleOutcome(`${call} returned no ${noun} yet`)
      : undecodableOutcome(deployment, log, `${call} reverted ${meaning ?? describeRevert(result.data)}`)
  }
  if (isOlderState(result)) return staleOutcome(`${call} returned nothing: no contract there yet`)
  const decoded = decode(result.data)
  return decoded.kind === 'record'
    ? decoded
    : undecodableOutcome(deployment, log, `${call} returned no ${noun}: ${decoded.reason}`)
}
