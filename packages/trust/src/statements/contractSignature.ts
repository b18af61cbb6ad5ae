import { bytesToHex } from '@noble/hashes/utils.js'
import { parseAddress, parseHex, type Address, type Hash, type Hex } from '@attestry/core/model/hex.ts'
import { decodeAbiValues } from '@attestry/core/protocols/abi/decodeAbiValues.ts'
import { encodeAbiValues } from '@attestry/core/protocols/abi/encodeAbiValue.ts'
import { parseAbiParameters } from '@attestry/core/protocols/abi/parseAbiParameters.ts'
import { bytesOf } from '@attestry/core/protocols/bytes.ts'

/** Calls that ask a contract whether a signature is its own: ERC-1271, and ERC-6492 for one that is not deployed yet. */

/** The first four bytes of the call, and of the only answer that accepts a signature (ERC-1271). */
const selector = '1626ba7e'

/** The end of a signature that says how its contract is deployed (ERC-6492). */
const counterfactualMark = '6492'.repeat(16)

/** A call of a contract; without `to`, the creation of one whose code `data` is. */
export interface SignatureCall {
  readonly to?: Address
  readonly data: Hex
}

const callTypes = typesOf('bytes32, bytes')
const wrapperParameters = parseAbiParameters('address factory, bytes call, bytes signature') ?? []

/** The calls that ask an account whether a signature is its own. */
export interface SignatureCalls {
  /** The call of an account that has code. */
  readonly deployed: SignatureCall
  /** The call of an account without code, which deploys the account first; null if the signature does not say how. */
  readonly undeployed: SignatureCall | null
}

/** The calls that ask an account; null for a mark of ERC-6492 without what stands before it. */
export function encodeSignatureCalls(signer: Address, hash: Hash, signature: Hex): SignatureCalls | null {
  if (!signature.endsWith(counterfactualMark))
    return { deployed: { to: signer, data: encodeCall(hash, signature) }, undeployed: null }
  const wrapped = parseHex(signature.slice(0, -counterfactualMark.length))
  const decoded = wrapped === null ? null : decodeAbiValues(wrapperParameters, wrapped)
  if (decoded?.kind !== 'values') return null
  const [factory, call, inner] = decoded.values.map(({ value }) => (typeof value === 'string' ? value : ''))
  const factoryAddress = parseAddress(factory ?? '')
  const [factoryCall, ownSignature] = [parseHex(call ?? ''), parseHex(inner ?? '')]
  if (factoryAddress === null || factoryCall === null || ownSignature === null) return null
  const ownCall = encodeCall(hash, ownSignature)
  return {
    deployed: { to: signer, data: ownCall },
    undeployed: { data: askAfterDeployment(factoryAddress, factoryCall, signer, ownCall) },
  }
}

/** Whether the answer of a contract accepts the signature: the magic value in a word of 32 bytes, and nothing else. */
export function acceptsSignature(answer: Hex | null): boolean {
  return answer === `0x${selector}${'00'.repeat(28)}`
}

function encodeCall(hash: Hash, signature: Hex): Hex {
  const encoded = encodeAbiValues(callTypes, [hash, signature])
  if (encoded === null) throw new TypeError('a hash and bytes can be encoded')
  return `0x${selector}${bytesToHex(encoded)}` as Hex
}

/**
 * Code that calls a factory, calls the account that this deploys, and returns the answer; nothing if that call fails.
 * It runs in an `eth_call` that creates a contract, so nothing is left of it.
 */
function askAfterDeployment(factory: Address, factoryCall: Hex, signer: Address, signerCall: Hex): Hex {
  const [factoryLength, signerLength] = [factoryCall, signerCall].map((call) => bytesOf(call).length)
  const push4 = (value = 0) => `63${value.toString(16).padStart(8, '0')}`
  const codeFor = (codeLength: number, failsAt: number) =>
    [
      // Both calls stand behind the code: copies them into the memory, from 0 on.
      push4((factoryLength ?? 0) + (signerLength ?? 0)),
      push4(codeLength),
      '600039',
      // CALL of the factory, whatever comes of it: the account may be deployed already.
      `60006000${push4(factoryLength)}60006000`,
      `73${factory.slice(2)}5af150`,
      // STATICCALL of the account.
      `60006000${push4(signerLength)}${push4(factoryLength)}`,
      `73${signer.slice(2)}5afa`,
      `15${push4(failsAt)}57`,
      // RETURNDATACOPY and RETURN of the answer.
      '3d600060003e3d6000f3',
      // JUMPDEST, and RETURN of nothing.
      '5b60006000f3',
    ].join('')
  const length = codeFor(0, 0).length / 2
  return `0x${codeFor(length, length - 6)}${factoryCall.slice(2)}${signerCall.slice(2)}` as Hex
}

function typesOf(text: string) {
  return (parseAbiParameters(text) ?? []).map(({ type }) => type)
}
