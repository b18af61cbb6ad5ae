import { isJsonObject } from '../model/jsonObject.ts'
import { RpcMalformedError } from '../errors/rpcErrors.ts'
import { parseHash, parseHex, type Hash, type Hex } from '../model/hex.ts'
import { blockNumberMax } from '../model/position.ts'
import { unixSeconds } from '../model/time.ts'
import type { BlockHeader } from './chainClient.ts'
import { parseQuantity } from './parseQuantity.ts'

const bloomBytes = 256

/**
 * Reads the fields of a block that the index needs.
 * @throws RpcMalformedError, naming the field, when one is missing or of the wrong form.
 */
export function decodeHeader(value: unknown, host: string): BlockHeader {
  if (!isJsonObject(value)) throw malformed(host, 'is no object')
  const number = parseQuantity(value['number'], blockNumberMax)
  if (number === null) throw malformed(host, 'has no valid number')
  const timestamp = parseQuantity(value['timestamp'], Number.MAX_SAFE_INTEGER)
  if (timestamp === null) throw malformed(host, 'has no valid timestamp')
  return {
    number,
    hash: readHash(value['hash'], 'hash', host),
    parentHash: readHash(value['parentHash'], 'parentHash', host),
    timestamp: unixSeconds(timestamp),
    logsBloom: readBloom(value['logsBloom']),
  }
}

/** null for any other value: the bloom is an additional test only. */
function readBloom(value: unknown): Hex | null {
  const bloom = typeof value === 'string' ? parseHex(value) : null
  return bloom?.length === 2 + 2 * bloomBytes ? bloom : null
}

function readHash(value: unknown, field: string, host: string): Hash {
  const hash = typeof value === 'string' ? parseHash(value) : null
  if (hash === null) throw malformed(host, `has no valid ${field}`)
  return hash
}

function malformed(host: string, what: string): RpcMalformedError {
  return new RpcMalformedError(`A block of ${host} ${what}.`, { retryable: true, facts: { host } })
}
