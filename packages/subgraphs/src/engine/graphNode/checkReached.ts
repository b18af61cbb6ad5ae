import { BadParameterError } from '@attestry/core/errors/apiErrors.ts'
import type { IndexReader } from '@attestry/core/index/indexReader.ts'
import type { ProtocolChain } from '../protocolEndpoints.ts'

/** The argument `block` of a root, in graph-node's form; GraphQL has checked the types. */
export interface BlockHeight {
  readonly hash?: unknown
  readonly number?: number | null
  readonly number_gte?: number | null
}

/**
 * Holds the newest state against `block.number_gte` of a request.
 * @throws BadParameterError where the block is not indexed.
 */
export async function checkReached(
  { reader, chain }: { readonly reader: Pick<IndexReader, 'listChains'>; readonly chain: ProtocolChain },
  least: number,
): Promise<void> {
  const overview = (await reader.listChains()).find(({ status }) => status.chainId === chain.chainId)
  const indexed = overview?.status.indexedBlock ?? -1
  if (indexed < least) {
    throw new BadParameterError(`block ${least} is not indexed yet; the newest indexed block is ${indexed}.`)
  }
}
