import { Type } from 'typebox'
import { BadParameterError } from '@attestry/core/errors/apiErrors.ts'
import type { ChainId } from '@attestry/core/model/compositeId.ts'
import { parseHash, type Hash } from '@attestry/core/model/hex.ts'
import { blockNumberMax } from '@attestry/core/model/position.ts'
import { optionalParameter } from '../parameters/parameter.ts'
import { unixSecondsMax } from '../parameters/timeParameters.ts'
import { quoteInput } from '../quoteInput.ts'

/** A moment that a question is about: a block of one chain, or a time for all chains. */
export type AskedMoment =
  | { readonly kind: 'block'; readonly chainId: ChainId; readonly block: number | Hash }
  | { readonly kind: 'time'; readonly at: number }

const shape = '<chainId>:<block number>, <chainId>:<block hash> or Unix seconds'

export const asOfSchema = Type.String({
  pattern: '^([1-9][0-9]*:(0x[0-9a-fA-F]{64}|[0-9]+)|[0-9]+)$',
  description: 'As of a block, `<chainId>:<number or hash>`, or as of a time in Unix seconds.',
  examples: ['11155111:5800000', '1718000000'],
})

/** The moment of a request; null for the newest state. */
export const asOfParameter = optionalParameter('asOf', asOfSchema, parseAsOf)

/** @throws BadParameterError */
export function parseAsOf(value: unknown): AskedMoment {
  const text = typeof value === 'number' ? String(value) : value
  if (typeof text !== 'string') throw new BadParameterError(`asOf must be ${shape}.`)
  const [, chain, block] = /^([1-9][0-9]{0,15}):(0x[0-9a-fA-F]{64}|[0-9]{1,16})$/.exec(text) ?? []
  if (chain !== undefined && block !== undefined) {
    const hash = parseHash(block)
    if (hash !== null) return { kind: 'block', chainId: Number(chain), block: hash }
    if (Number(block) <= blockNumberMax)
      return { kind: 'block', chainId: Number(chain), block: Number(block) }
  }
  if (/^[0-9]{1,12}$/.test(text) && Number(text) <= unixSecondsMax) return { kind: 'time', at: Number(text) }
  throw new BadParameterError(`asOf must be ${shape}; it was ${quoteInput(text)}.`)
}

/**
 * Refuses a moment beside a parameter that asks about the newest state.
 * @throws BadParameterError
 */
export function refuseBeside(asOf: AskedMoment | null, name: string, value: unknown): void {
  if (asOf !== null && value !== null) {
    throw new BadParameterError(`asOf and ${name} do not go together; leave one of them out.`)
  }
}
