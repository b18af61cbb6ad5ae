import { isJsonObject } from '../model/jsonObject.ts'
import { parseHex, type Hex } from '../model/hex.ts'
import { type RpcErrorObject } from './matchAnswers.ts'

/** How the virtual machine ends a call for good, whichever node runs it. */
const haltPattern =
  /invalid opcode|bad instruction|invalid jump|bad jump|stack (?:under|over)flow|write protection|static state change|invalid code/i
const revertPattern = /\brevert/i

/**
 * The data of a revert when the error of an `eth_call` says that the contract reverted, `0x` where it gave none; null
 * when it is the node that failed. Clients differ: geth sends code 3 with data, Nethermind -32000 or -32015 with the
 * data alone or behind `Reverted `, Hardhat and proxies nest it.
 */
export function parseRevert(error: RpcErrorObject): Hex | null {
  const isRevert =
    error.code === 3 ||
    error.code === -32015 ||
    revertPattern.test(error.message) ||
    haltPattern.test(error.message)
  return isRevert ? (findData(error.data) ?? parseHex('0x')) : null
}

/** Looks for revert data in what an error carries, at most three levels deep. */
function findData(data: unknown, depth = 0): Hex | null {
  if (typeof data === 'string') return parseHex(data.replace(/^reverted\s+/i, '').trim())
  if (!isJsonObject(data) || depth === 3) return null
  for (const key of ['data', 'result', 'originalError', 'output']) {
    const found = findData(data[key], depth + 1)
    if (found !== null) return found
  }
  return null
}
