import { isJsonObject } from '../model/jsonObject.ts'
import { RpcMalformedError } from '../errors/rpcErrors.ts'
import { parseHash, parseHex, type Hash } from '../model/hex.ts'
import { blockNumberMax } from '../model/position.ts'
import { unixSeconds } from '../model/time.ts'
import type { BlockHeader } from './chainClient.ts'
import { parseQuantity } from './parseQuantity.ts'

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
  const logsBloom = typeof value['logsBloom'] === 'string' ? parseHex(value['logsBloom']) : null
  if (logsBloom === null || logsBloom.length !== 514) throw malformed(host, 'has no valid logsBloom')
  return {
    number,
    hash: readHash(value['hash'], 'hash', host),
    parentHash: readHash(value['parentHash'], 'parentHash', host),
    timestamp: unixSeconds(timestamp),
    logsBloom,
  }
}

function readHash(value: unknown, field: string, host: string): Hash {
  const hash = typeof value === 'string' ? parseHash(value) : null
  if (hash === null) throw malformed(host, `has no valid ${field}`)
  return hash
}

function malformed(host: string, what: string): RpcMalformedError {
  return new RpcMalformedError(`A block of ${host} ${what}.`, { retryable: true, facts: { host } })
}
