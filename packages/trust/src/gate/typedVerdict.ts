import { randomBytes } from 'node:crypto'
import {
  BadParameterError,
  BadRequestError,
  NotFoundError,
  VerdictUnknownError,
} from '@attestry/core/errors/apiErrors.ts'
import { zeroHash } from '@attestry/core/model/hex.ts'
import { checksumAddress } from '@attestry/core/model/checksumAddress.ts'
import { detailOf } from '@attestry/core/model/recordJson.ts'
import type { PastReader } from '@attestry/core/index/indexReader.ts'
import { quoteInput } from '@attestry/server/pipeline/quoteInput.ts'
import type { DecidingRecord, Verdict } from './evaluatePolicy.ts'
import type { EvmKey } from './evmKey.ts'
import type { GateContext } from './gateContext.ts'
import type { ChainMoment, Judgement } from './judgeSubjects.ts'
import type { Policy } from './policy.ts'
import { checkSignable, onlyVerdict, type SignedQuestion, type SignedValues } from './signedForm.ts'
import { verdictSeconds } from './signVerdict.ts'
import {
  fillMessage,
  hashMessage,
  nonceBits,
  verdictForm,
  type TypedDomain,
  type TypedForm,
} from './typedData.ts'

type Parts = Pick<GateContext, 'evmKey' | 'policies'> & {
  readonly reader: Pick<PastReader, 'findAttestations'>
}

/** The parameters about the contract that checks. */
type TypedRequest = Pick<SignedValues, 'nonce' | 'verifyChainId' | 'verifyingContract'>

/**
 * The only verdict of a judgement as typed data for a contract. Only `allow` is signed.
 * @throws BadRequestError if the server has no key for it.
 * @throws BadParameterError for several subjects, a state of the past, a policy that is not signed here, a nonce that does
 * not fit, and a missing contract.
 * @throws VerdictUnknownError if a record that decided was revoked or reverted meanwhile.
 */
export async function signTyped(
  { evmKey, policies, reader }: Parts,
  asked: SignedQuestion,
  judge: () => Promise<Judgement>,
  request: TypedRequest,
): Promise<{ readonly judgement: Judgement; readonly signed: SignedTyped | null }> {
  if (evmKey === null) {
    throw new BadRequestError(
      'This server signs no verdicts for contracts; its configuration has no evmKey under server.gate.',
    )
  }
  checkSignable(policies, asked)
  const form = formOf(asked.policy, request)
  const nonce = readNonce(form, request.nonce)
  const judgement = await judge()
  const { verdict, subject, records } = onlyVerdict(judgement.verdicts)
  if (verdict !== 'allow') return { judgement, signed: null }
  const { chainId, block, hash } = oldestOf(judgement.asOf)
  const message = fillMessage(form, {
    $subject: checksumAddress(subject),
    $policy: `0x${asked.policy.hash}`,
    $chainId: chainId,
    $blockNumber: block,
    $blockHash: hash,
    $issuedAt: judgement.at,
    $expiresAt: Math.min(judgement.at + verdictSeconds, await endOf(reader, records)),
    $nonce: nonce,
  })
  return { judgement, signed: sign(evmKey, form, message) }
}

/** Signed typed data, as wallets and libraries take it. */
interface SignedTyped {
  readonly domain: TypedDomain
  readonly types: Readonly<Record<string, readonly { readonly name: string; readonly type: string }[]>>
  readonly primaryType: string
  readonly message: unknown
  readonly signature: string
  readonly signer: string
}

function sign(key: EvmKey, form: TypedForm, message: unknown): SignedTyped {
  const types = Object.entries(form.types).map(([name, fields]) => {
    return [name, fields.map(([field, type]) => ({ name: field, type }))] as const
  })
  return {
    domain: form.domain,
    types: Object.fromEntries(types),
    primaryType: form.primaryType,
    message,
    signature: key.sign(hashMessage(form, message)),
    signer: key.address,
  }
}

/** @throws VerdictUnknownError, NotFoundError for whoever is not let through. */
export function bareSignature(name: string, judged: Verdict, signed: SignedTyped | null): string {
  if (signed !== null) return signed.signature
  readAllowed(judged)
  throw new NotFoundError(
    `The policy ${quoteInput(name)} does not let ${checksumAddress(judged.subject)} through, so that nothing is signed.`,
  )
}

/** @throws VerdictUnknownError */
export function readAllowed({ verdict, reasons }: Verdict): boolean {
  if (verdict === 'unknown') throw new VerdictUnknownError(`The verdict is unknown: ${reasons.join(' ')}`)
  return verdict === 'allow'
}

function formOf({ typedData }: Policy, { verifyChainId, verifyingContract }: TypedRequest): TypedForm {
  const asked = [
    ['verifyChainId', 'chainId', verifyChainId],
    ['verifyingContract', 'verifyingContract', verifyingContract && checksumAddress(verifyingContract)],
  ] as const
  const domain: Record<string, string | number> = { ...typedData?.domain }
  for (const [parameter, member, value] of asked) {
    const own = domain[member]
    if (value === null || (own !== undefined && String(own) === String(value))) continue
    if (own !== undefined) {
      throw new BadParameterError(
        `${parameter} must be ${own}, as the policy says, or absent; it was ${value}.`,
      )
    }
    if (typedData !== null && typedData.own !== null) {
      throw new BadParameterError(
        `${parameter} must be absent: the typed data of the policy has no ${member}.`,
      )
    }
    domain[member] = value
  }
  if (typedData?.own) return typedData.own
  const { chainId, verifyingContract: contract } = domain
  if (chainId === undefined || contract === undefined) {
    throw new BadParameterError(
      'verifyChainId and verifyingContract are required: the chain and the address of the contract that checks the verdict.',
    )
  }
  const whole = { name: 'Attestry', version: '1', chainId, verifyingContract: contract }
  return { ...verdictForm, domain: whole }
}

/** The nonce of a request, or a random one. */
function readNonce(form: TypedForm, text: string | null): bigint {
  const bits = nonceBits(form)
  if (text === null) return BigInt(`0x${randomBytes(32).toString('hex')}`)
  if (bits === null)
    throw new BadParameterError('nonce must be absent: the typed data of the policy has none.')
  const nonce = /^(?:[0-9]{1,78}|0x[0-9a-f]{1,64})$/i.test(text) ? BigInt(text) : null
  if (nonce === null || BigInt.asUintN(bits, nonce) !== nonce) {
    throw new BadParameterError(
      `nonce must be an integer from 0 to 2^${bits} - 1, in decimal or 0x digits, for a contract; it was ${quoteInput(text)}.`,
    )
  }
  return nonce
}

/** The oldest block that counted; a hash of zeros where the index does not remember it. */
function oldestOf(moments: readonly ChainMoment[]): { chainId: string; block: number; hash: string } {
  const counted = moments.flatMap(({ block, ...moment }) => (block === null ? [] : [{ ...moment, block }]))
  const [oldest] = counted.toSorted((one, other) => (one.timestamp ?? 0) - (other.timestamp ?? 0))
  if (oldest !== undefined) return { ...oldest, hash: oldest.hash ?? zeroHash }
  throw new VerdictUnknownError('No block counted, so that nothing is signed; ask again later.')
}

/** Records that are read at a time. */
const recordsMax = 100

/** The first moment, in Unix seconds, at which one of the records counts no more. */
async function endOf(reader: Parts['reader'], records: readonly DecidingRecord[]): Promise<number> {
  let end = Number.MAX_SAFE_INTEGER
  for (let start = 0; start < records.length; start += recordsMax) {
    const part = records.slice(start, start + recordsMax)
    const fields = { detail: true, schema: false, payloadBytesMax: 0 }
    const found = await reader.findAttestations(part, fields)
    for (const [index, { maxAge }] of part.entries()) {
      const record = found[index] ?? null
      if (record === null || record.revocation !== null) {
        throw new VerdictUnknownError('A record that decided was revoked or reverted meanwhile; ask again.')
      }
      const validUntil = Number(detailOf(record.detail).validUntil)
      if (validUntil > 0) end = Math.min(end, validUntil)
      if (maxAge !== null) end = Math.min(end, record.attestTimestamp + maxAge)
    }
  }
  return end
}
