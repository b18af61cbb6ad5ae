import { bytesToHex } from '@noble/hashes/utils.js'
import { checksumAddress } from '@attestry/core/model/checksumAddress.ts'
import type { ChainId } from '@attestry/core/model/compositeId.ts'
import type { Address, Hash } from '@attestry/core/model/hex.ts'
import {
  isExpired,
  type AskedAt,
  type CheckContext,
  type OffchainCheck,
  type OffchainRecord,
} from '@attestry/core/model/offchainRecord.ts'
import { formatMoment, type UnixSeconds } from '@attestry/core/model/time.ts'
import { knownDeployments } from '@attestry/core/protocols/deployments.ts'
import { easDomainNames } from './readEasEnvelope.ts'
import { recoverSigner } from './recoverSigner.ts'

/** The checks that need neither the index nor, unless a contract signed, a chain. Never rejects. */
export async function checkOffchain(
  record: OffchainRecord,
  context: CheckContext,
): Promise<readonly OffchainCheck[]> {
  return [
    { name: 'format', ok: true, message: describeFormat(record) },
    checkUid(record),
    checkDomain(record, context),
    await checkSignature(record, context),
    checkExpiry(record, context.now),
  ]
}

function describeFormat({ protocol, kind, domain }: OffchainRecord): string {
  if (protocol === 'eas')
    return `This is an off-chain attestation of ${domain.name.startsWith('BAS') ? 'BAS' : 'EAS'}.`
  return `This is ${kind === 'attestation' ? 'an off-chain attestation' : `the ${kind} of an off-chain record`} of Sign Protocol.`
}

function checkUid({ uid }: OffchainRecord): OffchainCheck {
  const name = 'uid'
  if (uid === null) {
    const message =
      'Records of Sign Protocol have no uid that follows from their content, so none is compared.'
    return { name, ok: true, message }
  }
  return uid.stated === uid.computed
    ? { name, ok: true, message: 'The uid is the hash of the content.' }
    : {
        name,
        ok: false,
        message: `The content has the uid ${uid.computed}, not the stated one: the content or the uid was changed.`,
      }
}

const signDomain = { name: 'sign.global', version: '1' }

function checkDomain(
  { protocol, domain }: OffchainRecord,
  { isKnownContract = () => false }: CheckContext,
): OffchainCheck {
  const name = 'domain'
  if (protocol === 'sign') {
    const ok = domain.name === signDomain.name && domain.version === signDomain.version
    const message = ok
      ? 'It was signed for Sign Protocol, whose off-chain records name no chain and no contract.'
      : 'It was signed for another application: the domain is not sign.global, version 1.'
    return { name, ok, message }
  }
  if (!easDomainNames.includes(domain.name)) {
    const message = `It was signed for another application: the domain is not named ${easDomainNames.join(' or ')}.`
    return { name, ok: false, message }
  }
  const { chainId, contract } = domain
  if (chainId === null || contract === null) throw new TypeError('a domain of EAS names chain and contract')
  const shown = checksumAddress(contract)
  const isKnown = isPublished(chainId, contract) || isKnownContract(chainId, contract)
  return isKnown
    ? { name, ok: true, message: `It was signed for the contract ${shown} of chain ${chainId}.` }
    : { name, ok: false, message: `No deployment of EAS or BAS is known at ${shown} on chain ${chainId}.` }
}

function isPublished(chainId: ChainId, contract: Address): boolean {
  return knownDeployments.some(
    (known) => known.protocol === 'eas' && known.chainId === chainId && known.contract === contract,
  )
}

async function checkSignature(
  record: OffchainRecord,
  { askContractSigner, recoverPublicKey }: CheckContext,
): Promise<OffchainCheck> {
  const name = 'signature'
  const { hashes, signature, signer, domain } = record
  const shown = checksumAddress(signer)
  const recovered = hashes.map((hash) => recoverSigner(hash, signature, recoverPublicKey))
  if (recovered.includes(signer)) return { name, ok: true, message: `The key of ${shown} signed it.` }
  const [other] = recovered
  const byKey =
    other == null
      ? 'The signature is none of a key'
      : `The signature is that of the key of ${checksumAddress(other)}`
  if (askContractSigner === undefined) {
    return {
      name,
      ok: false,
      message: `${byKey}, and not of ${shown}; whether ${shown} is a contract that accepts it was not asked.`,
      unknown: true,
    }
  }
  const asked: AskedAt[] = []
  for (const hash of hashes) {
    const answer = await askContractSigner({
      chainId: domain.chainId,
      signer,
      hash: `0x${bytesToHex(hash)}` as Hash,
      signature,
    })
    if (answer.kind === 'signed') {
      const message = `The contract ${shown} accepts the signature as its own (${describeAt(answer.at)}).`
      return { name, ok: true, message }
    }
    if (answer.kind === 'notSigned') asked.push(...answer.at)
    if (answer.kind === 'unknown') {
      return { name, ok: false, message: `${byKey}, and not of ${shown}. ${answer.reason}`, unknown: true }
    }
  }
  const places = [...new Set(asked.map(describeAt))].join('; ')
  const where = places === '' ? '' : ` (${places})`
  const message = `${byKey}, and ${shown} did not sign it, neither as a key nor as a contract${where}.`
  return { name, ok: false, message }
}

function describeAt({ chainId, block }: AskedAt): string {
  return `chain ${chainId}, block ${block}`
}

/** Clocks may differ by so much. A time in milliseconds is some 50,000 years ahead. */
const aheadMaxSeconds = 600

function checkExpiry(record: OffchainRecord, now: UnixSeconds): OffchainCheck {
  const { expirationTime, time } = record
  const name = 'expiry'
  if (time !== null && BigInt(time) > BigInt(now + aheadMaxSeconds)) {
    const isMilliseconds = BigInt(time) / 1_000n <= BigInt(now + aheadMaxSeconds)
    const hint = isMilliseconds ? ': it seems to be in milliseconds, and EAS counts seconds' : ''
    return { name, ok: false, message: `Its time, ${time}, is in the future${hint}.` }
  }
  if (expirationTime === null || expirationTime === '0')
    return { name, ok: true, message: 'It does not expire.' }
  const ok = !isExpired(record, now)
  return { name, ok, message: `It ${ok ? 'expires' : 'expired'} at ${formatMoment(BigInt(expirationTime))}.` }
}
